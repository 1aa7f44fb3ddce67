"""Run beside the tests: a browser that has the studio open, then a page of somebody else; prints what that page got.

python hostile.py CHROMIUM STUDIO_URL SAVE_REQUEST JOB HOSTILE_URL …
"""

from __future__ import annotations

import json
import sys

from playwright.sync_api import sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",  # what protects us besides
    "--host-resolver-rules=MAP evil.example 127.0.0.1",  # a name that its owner lets point here
]

ATTACK = """
async ([target, saved, job]) => {
  const within = (promise) => Promise.race([promise, new Promise((go) => setTimeout(() => go("silence"), 1500))]);
  const said = {};
  const asked = async (name, promise) => { said[name] = await within(promise.then((x) => x, () => "refused")); };
  const loads = (element, key, value) => new Promise((go) => {
    element.onload = () => go("loaded");
    element.onerror = () => go("refused");
    element[key] = value;
    document.body.append(element);
  });
  const post = { method: "POST", credentials: "include", body: saved };
  const typed = { ...post, headers: { "content-type": "application/json" } };
  const unseen = (path) => fetch(target + path, { ...post, mode: "no-cors" })
    .then((r) => r.type === "opaque" ? "refused" : r.text());
  const stream = new Promise((go, no) => {
    const source = new EventSource(`${target}/api/jobs/${job}/events`, { withCredentials: true });
    source.onopen = () => go("open");
    source.onerror = () => { source.close(); no(); };
  });
  const socket = new Promise((go, no) => {
    const made = new WebSocket(target.replace("http", "ws"));
    made.onopen = () => go("open");
    made.onerror = no;
  });
  const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet" });
  await Promise.all([
    asked("fetch", fetch(`${target}/api/start`, { credentials: "include" }).then((r) => r.text())),
    asked("post", fetch(`${target}/api/save`, typed).then((r) => r.text())),
    asked("simple post", unseen("/api/save")),
    asked("cancel", unseen(`/api/jobs/${job}/cancel`)),
    asked("image", loads(new Image(), "src", `${target}/api/start`)),
    asked("script", loads(document.createElement("script"), "src", `${target}/`)),
    asked("style", loads(sheet, "href", `${target}/`)),
    asked("stream", stream),
    asked("socket", socket),
  ]);
  return said;
}
"""


def main() -> None:
    program, studio, saved, job, *hostile = sys.argv[1:]
    target = studio.partition("/?")[0]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        context = browser.new_context()
        own = context.new_page()
        own.goto(studio)
        found = {"own": own.evaluate("() => fetch('/api/files').then((r) => r.status)")}
        for url in hostile:
            page = context.new_page()
            page.goto(url)
            found[url] = page.evaluate(ATTACK, [target, saved, job])
        rebound = target.replace("127.0.0.1", "evil.example")
        found["rebound"] = context.new_page().goto(f"{rebound}/?{studio.partition('/?')[2]}").status  # type: ignore[union-attr]
        browser.close()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
