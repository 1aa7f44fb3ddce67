// The robot's models as source files: chosen, looked at, copied, taken home.
import { computed, signal } from "@preact/signals";
import { Fragment, type JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { CodeAnswer, FileLink } from "../../shared/api";
import { fetchFile } from "../dialogs/sharing";
import { t } from "../language";
import { Act, Choice, Switch } from "../parts/controls";
import { Handing } from "../parts/handing";
import { JobLine } from "../parts/working";
import { Job } from "../state/jobs";
import { start } from "../state/start";
import { robot } from "../state/work";
import { answerOf, isOld, useAsking } from "./asking";
import { modelGroups } from "./equations";

const language = signal("c");
const models = signal<readonly string[]>(["inverse_dynamics"]);
const optimise = signal<"none" | "fast" | "max">("fast");
const options = signal({ dtype: "", batch: true, single_file: false, sincos: false, proof: false });
const chosen = signal("");
const job = new Job<CodeAnswer>();
const zipping = new Job<FileLink>();

const FLAGS: readonly (readonly ["batch" | "single_file" | "sincos", string])[] = [
  ["batch", "Batch function"],
  ["single_file", "One file"],
  ["sincos", "sincos()"],
];

/** Whether the language has the option. */
const has = (option: string): boolean => start.value?.options[language.value]?.includes(option) ?? false;

const request = computed(() => ({
  language: language.value,
  models: models.value,
  optimise: optimise.value,
  options: Object.fromEntries(Object.entries(options.value).filter(([name]) => has(name))),
}));

function Models(): JSX.Element {
  const toggle = (name: string, on: boolean): void =>
    void (models.value = on ? [...models.value, name] : models.value.filter((m) => m !== name));
  return (
    <details class="toggles">
      <summary>{t("Models: {0}", models.value.map((m) => t(m.replaceAll("_", " "))).join(", ") || t("none"))}</summary>
      <div class="toggle-box" role="group" aria-label={t("Models")}>
        {modelGroups().map(([chapter, list]) => (
          <Fragment key={chapter}>
            <strong class="chapter">{chapter}</strong>
            {list.map(([name, title]) => (
              <Switch key={name} label={title} on={models.value.includes(name)} onChange={(on) => toggle(name, on)} />
            ))}
          </Fragment>
        ))}
      </div>
    </details>
  );
}

function Choices(): JSX.Element {
  const known = start.value?.languages ?? ["c"];
  return (
    <>
      <div class="line">
        <Choice label={t("Code in")} value={language.value} options={known.map((l) => [l, l] as const)} onChange={(l) => (language.value = l)} />
        <Choice
          label={t("Optimise")}
          value={optimise.value}
          options={[["none", t("not")], ["fast", t("fast")], ["max", t("as far as it goes")]]}
          onChange={(o) => (optimise.value = o)}
        />
        <Models />
      </div>
      {(has("dtype") || FLAGS.some(([key]) => has(key))) && (
        <div class="line">
          {has("dtype") && (
            <Choice
              label={t("Numbers")}
              value={options.value.dtype}
              options={[["", t("double or float by a macro")], ["float64", "double"], ["float32", "float"]]}
              onChange={(dtype) => (options.value = { ...options.value, dtype })}
            />
          )}
          {FLAGS.filter(([key]) => has(key)).map(([key, title]) => (
            <Switch key={key} label={t(title)} on={options.value[key]} onChange={(on) => (options.value = { ...options.value, [key]: on })} />
          ))}
        </div>
      )}
    </>
  );
}

function Source({ name, text }: { name: string; text: string }): JSX.Element {
  const host = useRef<HTMLElement>(null);
  useEffect(() => {
    if (host.current) host.current.textContent = text;
    if (text.length < 200_000) void import("../formulas/colours").then(({ coloured }) => host.current && coloured(host.current, text, name.split(".").at(-1) ?? ""));
  }, [name, text]);
  return (
    <pre class="source" tabIndex={0} aria-label={t("Text of {0}", name)}>
      <code ref={host} />
    </pre>
  );
}

async function zip(): Promise<void> {
  const answer = await zipping.start("/api/zip", { document: robot.value, ...request.value });
  if (answer) fetchFile(answer.url);
}

function Answer({ answer }: { answer: CodeAnswer }): JSX.Element {
  const own = answer.files.find((file) => models.value.some((model) => file.name.includes(model)) && !/\.(h|hpp|txt|md)$/.test(file.name));
  const shown = answer.files.find((file) => file.name === chosen.value) ?? own ?? answer.files[0];
  if (!shown) return <p>{t("No file came out.")}</p>;
  return (
    <div class={isOld(job as Job<unknown>) ? "old" : ""}>
      <div class="line">
        <Choice label={t("File")} value={shown.name} options={answer.files.map((file) => [file.name, file.name] as const)} onChange={(name) => (chosen.value = name)} />
        <Handing copies={[[t("Copy"), () => shown.text]]} files={[[t("Download this file"), shown.name.split("/").at(-1)!, () => shown.text]]} />
        <Act kind="main" onClick={() => void zip()}>
          {t("Download all (zip)")}
        </Act>
      </div>
      <JobLine job={zipping as Job<unknown>} />
      <Source name={shown.name} text={shown.text} />
    </div>
  );
}

export function CodePanel(): JSX.Element {
  useAsking(job, "/api/code", () => (models.value.length ? request.value : null));
  const answer = answerOf(job);
  return (
    <>
      <Choices />
      {!models.value.length && <p>{t("Choose a model.")}</p>}
      <JobLine job={job as Job<unknown>} />
      {answer && models.value.length > 0 && <Answer answer={answer} />}
    </>
  );
}
