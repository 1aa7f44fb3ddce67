// Long work: a job of the server's whose lines are heard as they come, and which can be cancelled.
import { signal, type Signal } from "@preact/signals";
import type { ErrorAnswer, JobAnswer, ProgressLine } from "../../shared/api";
import { language, t } from "../language";
import { aborted, call, connected, upload } from "./server";

export type Phase = "idle" | "running" | "done" | "failed" | "cancelled";

const SHORT_MS = 1000;

interface Hearing {
  source: EventSource;
  id: string;
}

/** One place for one kind of work: a new question takes the place of the one before. */
export class Job<T> {
  readonly phase: Signal<Phase> = signal("idle");
  readonly line: Signal<ProgressLine> = signal({ text: "", seconds: 0 });
  readonly result: Signal<T | null> = signal(null);
  readonly error: Signal<string> = signal("");
  /** The field that the error is about, where it is about one. */
  readonly place: Signal<string> = signal("");
  /** The server's name of the work, by which a page that was loaded again finds it. */
  readonly id: Signal<string> = signal("");
  /** A first answer is there; the last one is still computed. */
  readonly hasFirst: Signal<boolean> = signal(false);
  /** Milliseconds until the last answer, or its first form, was there. */
  took = 0;
  private hearing: Hearing | null = null;
  private asking: AbortController | null = null;
  private turn = 0;
  private begun = 0;

  /** Asks; resolves with the result, or with null where it is missing (failed, cancelled, another question came). */
  async start(path: string, body: object | FormData): Promise<T | null> {
    this.drop();
    const turn = ++this.turn;
    this.asking = new AbortController();
    this.begun = performance.now();
    this.set("running", "");
    this.hasFirst.value = false;
    this.line.value = { text: t("Computing…"), seconds: 0 };
    try {
      const form = body instanceof FormData;
      const { job } = await (form ? upload<JobAnswer>(path, body, this.asking.signal) : call<JobAnswer>(path, body, this.asking.signal));
      if (turn !== this.turn) return null;
      this.id.value = job;
      return await this.hear(job, turn);
    } catch (error) {
      if (!aborted(error) && turn === this.turn) this.set("failed", error instanceof Error ? error.message : String(error));
      return null;
    }
  }

  /** Follows work that was begun before the page was loaded, if the server still knows of it. */
  async rejoin(id: string): Promise<T | null> {
    const turn = ++this.turn;
    this.begun = performance.now();
    const there = await call(`/api/jobs/${encodeURIComponent(id)}`).catch(() => null);
    if (!there || turn !== this.turn) return null;
    this.id.value = id;
    this.set("running", "");
    return this.hear(id, turn);
  }

  private hear(id: string, turn: number): Promise<T | null> {
    return new Promise((resolve) => {
      const source = new EventSource(`/api/jobs/${encodeURIComponent(id)}/events?lang=${language.peek()}`);
      this.hearing = { source, id };
      const on = (kind: string, then: (data: unknown) => void, last = true): void =>
        source.addEventListener(kind, (event) => {
          if (turn !== this.turn) return;
          if (last) this.hush();
          then(JSON.parse((event as MessageEvent<string>).data || "{}"));
        });
      on("progress", (data) => (this.line.value = data as ProgressLine), false);
      on("first", (data) => {
        this.result.value = data as T;
        this.hasFirst.value = true;
        this.took = performance.now() - this.begun;
      }, false);
      on("result", (data) => {
        this.result.value = data as T;
        this.took = this.hasFirst.peek() ? this.took : performance.now() - this.begun;
        this.set("done", "");
        resolve(data as T);
      });
      on("failed", (data) => {
        const { message, column } = (data as ErrorAnswer).error;
        this.set("failed", message, column);
        resolve(null);
      });
      on("cancelled", () => {
        this.set("cancelled", "");
        resolve(null);
      });
      // EventSource comes again unasked; only an end without a last word is the server's end
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
    this.drop(0);
    this.set("cancelled", "");
  }

  // what nobody waits for any more would hold up what comes after it; what is nearly done costs less than a new process
  private drop(atLeast = SHORT_MS): void {
    const id = this.hearing?.id;
    const soon = performance.now() - this.begun < atLeast; // it ends soon, unless something else waits
    this.turn++;
    this.asking?.abort();
    this.hush();
    if (id) void call(`/api/jobs/${encodeURIComponent(id)}/cancel`, { soon }).catch(() => undefined);
  }

  private hush(): void {
    this.hearing?.source.close();
    this.hearing = null;
  }

  private set(phase: Phase, error: string, place = ""): void {
    this.place.value = place;
    if (phase === "failed") this.result.value = null; // the answer to another question is no answer to this one
    this.phase.value = phase;
    this.error.value = error;
  }
}
