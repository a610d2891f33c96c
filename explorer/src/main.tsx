import { render } from "preact";
import { App } from "./app/app.tsx";
import { passAnswer } from "./client/provider.ts";
import { readSignIn } from "./client/sign-in.ts";
import { makeSession } from "./state/session.ts";

/** The HTML says where the root of the service is, whatever prefix or proxy is before it, and how users sign in. */
const place = document.querySelector<HTMLElement>("#explorer") ?? document.body;
const root = new URL(place.dataset["root"] ?? "./", location.href).href;

// A window of the provider returns to this page, which only passes the answer on.
if (!passAnswer(location.search)) {
  render(<App session={makeSession(root, readSignIn(place.dataset["signIn"] ?? null))} />, place);
}
