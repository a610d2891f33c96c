import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { readAbout, withoutFacts } from "../client/about.ts";
import { permittedModel } from "../model/permitted-model.ts";
import { Button, ButtonLink } from "../parts/button.tsx";
import { Heading } from "../parts/heading.tsx";
import { Loadable } from "../parts/loadable.tsx";
import { keepDraft } from "../state/drafts.ts";
import { type OpenSession, type Session, SessionContext, readModel } from "../state/session.ts";
import { useLoaded } from "../state/use-loaded.ts";
import { hrefOf } from "../state/view.ts";
import { Header } from "./header.tsx";
import { Screen } from "./screen.tsx";
import { SignInDialog } from "./sign-in-dialog.tsx";

interface AppProps {
  readonly session: Session;
}

/** Shows the page: the screen that the URL names, short messages, and the announcements for screen readers. */
export function App({ session }: AppProps): JSX.Element {
  useEffect(leadFocus, []);
  return (
    <>
      <Visit key={session.visit.value} session={session} />
      <ToastList key={`toasts ${session.visit.value}`} session={session} />
      <div class="hidden" aria-live="polite">
        {session.announcement.value}
      </div>
    </>
  );
}

/**
 * Reads the model, which may differ between users, and the facts about the service, for which nothing waits. A user whom the
 * service asked to sign in keeps the page and its forms.
 */
function Visit({ session }: AppProps): JSX.Element {
  const key = String(session.signIns.value);
  // The first request is that for the facts, since requests for data may depend on them.
  const facts = useLoaded(key, (signal) => readAbout(session.client, signal));
  const loading = useLoaded(key, (signal) => readModel(session.client, signal));
  const [model, isAboutLate] = [loading.last, facts.state.kind === "loading"];
  const open = useMemo((): OpenSession | null => {
    if (model === null) return null;
    const about = facts.last ?? withoutFacts(model.title);
    return { ...session, about, isAboutLate, model: permittedModel(model, about.access) };
  }, [model, facts.last, isAboutLate]);
  const { signIn, signInRequest, signInWith } = session;
  useEffect(() => {
    // The service may take a wrong credential for none.
    const isWrong = facts.last?.isAnonymous === true && session.credential.peek() !== null;
    if (isWrong) signInRequest.value = { refusal: "It does not know who you are." };
  }, [facts.last]);
  const request = signInRequest.value;
  const close = (): void => {
    // Where there is nothing to return to, the reader goes on without credentials.
    if (model === null) signInWith(null);
    signInRequest.value = null;
  };
  return (
    <>
      {open === null ? (
        <main class="main main-bare">
          <Heading>{request === null ? "Explorer" : "Sign in"}</Heading>
          {request === null ? <Loadable loading={loading} label="Opening the service" children={() => null} /> : null}
        </main>
      ) : (
        <Shell session={open} />
      )}
      {request === null || signIn === null ? null : (
        <SignInDialog session={session} signIn={signIn} refusal={request.refusal} onClose={close} />
      )}
    </>
  );
}

/** Shows the header and one screen, which gets the focus at its heading, but not as the page opens. */
function Shell({ session }: { readonly session: OpenSession }): JSX.Element {
  const view = session.view.value;
  const place = `${view.screen}/${view.path}`;
  const last = useRef(place);
  useEffect(() => {
    const isNew = last.current !== place;
    last.current = place;
    // Who writes a path, or chooses one, stays there.
    if (!isNew || document.activeElement?.matches(".main textarea, .main select, .main .code-editor") === true) return;
    scrollTo(0, 0);
    focusHeading();
  }, [place]);
  useEffect(() => session.kept.visit(view), [view, session]);
  return (
    <SessionContext.Provider value={session}>
      <Header session={session} />
      <main class="main" tabIndex={-1}>
        <Screen session={session} view={view} />
      </main>
      {session.dialog.value?.content}
    </SessionContext.Provider>
  );
}

/** Shows short messages, such as of a deletion that can be undone. Screen readers say them as they appear. */
function ToastList({ session: { toasts, drafts } }: AppProps): JSX.Element {
  const left = [...drafts.value].filter(([, { isOpen }]) => !isOpen);
  return (
    <div class="toasts" role="status" aria-label="Messages">
      {left.map(([id, { title, view }]) => (
        <div key={id} class="toast notice-warning">
          <p>{`Not saved, but kept until you close this page: ${title}.`}</p>
          <ButtonLink href={hrefOf(view)}>Continue</ButtonLink>
          <Button onClick={() => keepDraft(drafts, id, null)}>Discard</Button>
        </div>
      ))}
      {toasts.list.value.map(({ id, text, kind, action }) => (
        <div key={id} class={`toast toast-${kind}`}>
          <p>{text}</p>
          {action === null ? null : <Button onClick={() => void toasts.act(id, action)}>{action.label}</Button>}
          <Button kind="quiet" icon="close" label="Close this message" onClick={() => toasts.close(id)} />
        </div>
      ))}
    </div>
  );
}

function focusHeading(): void {
  document.querySelector("h1")?.focus({ preventScroll: true });
}

/**
 * Moves the focus to the heading when the control that has it disappears or is disabled, such as "Try again", and to the
 * search by the key `/`.
 */
function leadFocus(): void {
  let last: EventTarget | null = null;
  addEventListener("focusin", (event) => {
    last = event.target;
  });
  const look = (): void => {
    const { activeElement, body } = document;
    const isLost = last instanceof Element && (!last.isConnected || last.matches(":disabled"));
    if (isLost && (activeElement === body || activeElement === last)) focusHeading();
    // The reader clicked outside of it.
    else if (activeElement === body) last = null;
  };
  const changes = { childList: true, subtree: true, attributeFilter: ["disabled"] };
  new MutationObserver(() => requestAnimationFrame(look)).observe(document.body, changes);
  addEventListener("keydown", (event) => {
    const editors = "input, textarea, select, .code-editor, dialog *, [popover] *";
    const isTyping = document.activeElement?.matches(editors) === true;
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    event.preventDefault();
    [...document.querySelectorAll<HTMLElement>(".search input")].at(-1)?.focus();
  });
}
