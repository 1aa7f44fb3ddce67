// Many cases of this arm: choose a ready study, set it, run it beside the page, see and take away what came of it.
import type { JSX } from "preact";
import { t } from "../language";
import { Choice, Switch } from "../parts/controls";
import { JobLine } from "../parts/working";
import { stale } from "../state/drawing";
import type { Job } from "../state/jobs";
import { useAsking } from "./asking";
import { chosen, cores, forms, job, logs, run, SEED, studies, study } from "./study_asked";
import { Answer } from "./study_answer";
import { Field } from "./study_form";

function Settings({ below }: { below: JSX.Element }): JSX.Element | null {
  const now = study.value;
  if (!now) return null;
  const waits = now.fields.some(({ kind }) => kind === "logs") && !logs.value.length;
  return (
    <form
      noValidate
      aria-label={t("Settings of the study")}
      onSubmit={(e) => {
        e.preventDefault();
        if (!stale.value && !waits) run();
      }}
    >
      <div class="line">
        <Choice label={t("Study")} value={now.name} options={studies.value.map(({ name }) => [name, t(name)] as const)} onChange={(name) => (chosen.value = name)} />
        <button type="submit" class="act main" disabled={stale.value || waits}>
          {t("Run the study")}
        </button>
        <Switch label={t("On every core")} hint={t("The same result; worth it where a study takes longer than some seconds.")} on={cores.value} onChange={(on) => (cores.value = on)} />
        {waits && <span class="quiet">{t("Choose a recording first.")}</span>}
      </div>
      {below}
      <p class="quiet">{t(now.about)}</p>
      <div class="settings" key={now.name}>
        {[...now.fields, SEED].map((field) => (
          <Field key={field.name} field={field} />
        ))}
      </div>
      {now.written.length > 0 && <p class="quiet">{t("Said in a study file alone: {0}.", now.written.join(", "))}</p>}
    </form>
  );
}

export function StudyPanel(): JSX.Element {
  useAsking(forms, "/api/studies", () => ({}), true);
  const told = job.phase.value === "failed" && [...(study.value?.fields ?? []), SEED].some(({ name }) => name === job.place.value);
  return (
    <>
      {!forms.result.value && <JobLine job={forms as Job<unknown>} />}
      <Settings
        below={
          <>
            {!told && <JobLine job={job as Job<unknown>} />}
            {job.phase.value === "cancelled" && <p class="quiet">{t("Run it again as it is, and it goes on from here.")}</p>}
          </>
        }
      />
      {job.result.value?.study === study.value?.name && job.result.value && <Answer answer={job.result.value} />}
    </>
  );
}
