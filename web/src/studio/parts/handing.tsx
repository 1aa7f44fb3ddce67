// Copy and download, each telling that it was done.
import type { JSX } from "preact";
import { t } from "../language";
import { say } from "../state/notices";
import { Act } from "./controls";

/** Copies by the clipboard's own call, or by a selected field where the browser refuses it. */
export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  say(t("Copied."));
}

export function download(name: string, content: string | Blob, type = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

interface Props {
  copies: readonly (readonly [title: string, text: () => string])[];
  files?: readonly (readonly [title: string, name: string, content: () => string | Blob | Promise<Blob>])[];
}

export function Handing({ copies, files = [] }: Props): JSX.Element {
  return (
    <div class="handing">
      {copies.map(([title, text]) => (
        <Act key={title} onClick={() => void copy(text())}>
          {title}
        </Act>
      ))}
      {files.map(([title, name, content]) => (
        <Act key={title} onClick={async () => download(name, await content())}>
          {title}
        </Act>
      ))}
    </div>
  );
}
