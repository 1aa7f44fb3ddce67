// Long work: a job of the server's whose lines are heard as they come, and which can be cancelled.
import { signal, type Signal } from "@preact/signals";
import type { ErrorAnswer, JobAnswer, Progress } from "../../shared/api";
import { t } from "../language";
import { aborted, bytes, call, connected, upload } from "./server";

export type Phase = "idle" | "running" | "done" | "failed" | "cancelled";

interface Hearing {
  source: EventSource;
  id: string;
}

/** One place for one kind of work: a new question takes the place of the one before. */
export class Job<T> {
  readonly phase: Signal<Phase> = signal("idle");
  readonly line: Signal<Progress> = signal({ text: "", seconds: 0 });
  readonly result: Signal<T | null> = signal(null);
  readonly error: Signal<string> = signal("");
  private hearing: Hearing | null = null;
  private asking: AbortController | null = null;
  private turn = 0;

  /** Asks; resolves with the result, or with null where there is none (failed, cancelled, another question came). */
  async start(path: string, body: object | FormData): Promise<T | null> {
    this.leave();
    const turn = ++this.turn;
    this.asking = new AbortController();
    this.set("running", "");
    this.line.value = { text: t("asking…"), seconds: 0 };
    try {
      const form = body instanceof FormData;
      const { job } = await (form ? upload<JobAnswer>(path, body, this.asking.signal) : call<JobAnswer>(path, body, this.asking.signal));
      return turn === this.turn ? await this.hear(job, turn) : null;
    } catch (error) {
      if (!aborted(error) && turn === this.turn) this.set("failed", error instanceof Error ? error.message : String(error));
      return null;
    }
  }

  private hear(id: string, turn: number): Promise<T | null> {
    return new Promise((resolve) => {
      const source = new EventSource(`/api/jobs/${encodeURIComponent(id)}/events`);
      this.hearing = { source, id };
      const on = (kind: string, then: (data: unknown) => void, last = true): void =>
        source.addEventListener(kind, (event) => {
          if (turn !== this.turn) return;
          if (last) this.hush();
          then(JSON.parse((event as MessageEvent<string>).data || "{}"));
        });
      on("progress", (data) => (this.line.value = data as Progress), false);
      on("result", (data) => {
        this.result.value = data as T;
        this.set("done", "");
        resolve(data as T);
      });
      on("failed", (data) => {
        this.set("failed", (data as ErrorAnswer).error.message);
        resolve(null);
      });
      on("cancelled", () => {
        this.set("cancelled", "");
        resolve(null);
      });
      // EventSource comes again by itself; only an end without a last word is the server's end
      source.addEventListener("error", () => {
        if (source.readyState !== EventSource.CLOSED || turn !== this.turn) return;
        this.hush();
        connected.value = false;
        this.set("failed", t("not connected; your table is kept here"));
        resolve(null);
      });
    });
  }

  cancel(): void {
    const id = this.hearing?.id;
    this.leave();
    this.set("cancelled", "");
    if (id) void bytes(`/api/jobs/${encodeURIComponent(id)}/cancel`, {}).catch(() => undefined);
  }

  /** Stops listening without stopping the work: another page, or this one later, may ask the same. */
  leave(): void {
    this.turn++;
    this.asking?.abort();
    this.hush();
    if (this.phase.value === "running") this.set("idle", "");
  }

  private hush(): void {
    this.hearing?.source.close();
    this.hearing = null;
  }

  private set(phase: Phase, error: string): void {
    this.phase.value = phase;
    this.error.value = error;
  }
}
