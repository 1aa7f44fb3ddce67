// Calls of the local server. Two things can go wrong: it answers with a sentence, or it does not answer at all.
import { signal } from "@preact/signals";
import { language, t } from "../language";

/** False from the first call without an answer until the next one with one. */
export const connected = signal(true);

/** What the server said is wrong, with its place in the table where it has one. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly body: Record<string, unknown>,
  ) {
    super(message);
  }
}

/** No answer at all: the program was stopped, or the machine slept. */
export class Silence extends Error {}

export const aborted = (error: unknown): boolean => error instanceof DOMException && error.name === "AbortError";

async function answered(request: Promise<Response>): Promise<Response> {
  try {
    const response = await request;
    if (response.status === 401) throw new Error("started anew"); // the page is of the studio before; its new address lets it in
    connected.value = true;
    return response;
  } catch (error) {
    if (aborted(error)) throw error;
    connected.value = false;
    throw new Silence(t("not connected; your table is kept here"));
  }
}

async function refused(response: Response): Promise<Refusal> {
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const error = body["error"] as { message?: string } | string | undefined;
  const text = typeof error === "string" ? error : error?.message;
  return new Refusal(text ?? t("the server answered {0}", response.status), response.status, body);
}

// the server's sentences come in the page's language
const tongue = (): Record<string, string> => ({ "X-Language": language.peek() });

const post = (body: unknown, signal?: AbortSignal): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json", ...tongue() },
  body: JSON.stringify(body),
  signal: signal ?? null,
});

export async function call<T>(path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const request = body === undefined ? fetch(path, { headers: tongue(), signal: signal ?? null }) : fetch(path, post(body, signal));
  const response = await answered(request);
  if (!response.ok) throw await refused(response);
  return (await response.json()) as T;
}

export async function upload<T>(path: string, form: FormData, signal?: AbortSignal): Promise<T> {
  const response = await answered(fetch(path, { method: "POST", headers: tongue(), body: form, signal: signal ?? null }));
  if (!response.ok) throw await refused(response);
  return (await response.json()) as T;
}
