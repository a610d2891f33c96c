import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Loadable } from "../parts/loadable.tsx";
import { type Session, type Service, SessionContext, openService } from "../state/session.ts";
import { type Loading, useLoaded } from "../state/use-loaded.ts";
import { Header } from "./header.tsx";
import { Screen } from "./screen.tsx";
import { SignIn, SignInDialog } from "./sign-in.tsx";
import { ToastList } from "./toast-list.tsx";
import { useKeptFocus } from "./use-kept-focus.ts";

/** Shows the page: it reads the model of the service, then shows the screen that the URL names. */
export function App({ session }: { readonly session: Session }): JSX.Element {
  // Another user may see another model.
  const user = String(session.credentials.changes.value);
  const loading = useLoaded(user, (signal) => openService(session, signal));
  useTheme(session);
  useKeptFocus();
  return (
    <>
      <Opened session={session} loading={loading} />
      <ToastList toasts={session.toasts} />
      <div class="hidden" aria-live="polite">
        {session.announcement.value}
      </div>
    </>
  );
}

function Opened({ session, loading }: { readonly session: Session; readonly loading: Loading<Service> }): JSX.Element {
  const { last } = loading;
  const request = session.signInRequest.value;
  const visit = session.visit.value;
  // While a user who was asked to sign in does so, the page stays: a form keeps what was typed.
  if (last !== null && last.visitOfAnswer === visit) {
    return (
      <>
        <Shell key={visit} session={session} service={last} />
        {request === null ? null : <SignInDialog session={session} request={request} />}
      </>
    );
  }
  if (request !== null) return <SignIn session={session} request={request} />;
  return (
    <main class="main main-bare">
      <h1 class="hidden">Explorer</h1>
      <Loadable loading={loading} label="Opening the service">
        {() => null}
      </Loadable>
    </main>
  );
}

/** Shows the header and one screen. */
function Shell({ session, service }: { readonly session: Session; readonly service: Service }): JSX.Element {
  const open = useMemo(() => ({ ...session, ...service }), [session, service]);
  const view = session.view.value;
  const main = useRef<HTMLElement>(null);
  useNewScreen(`${view.screen}/${view.path}`, main);
  return (
    <SessionContext.Provider value={open}>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // The fragment of the URL is the view.
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <Header session={open} theme={session.theme} />
      <main id="main" class="main" ref={main} tabIndex={-1}>
        <Screen session={open} view={view} />
      </main>
    </SessionContext.Provider>
  );
}

/** Moves the focus to the heading of a new screen, but not as the page opens. */
function useNewScreen(place: string, main: { readonly current: HTMLElement | null }): void {
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    // Who writes a path, or chooses one, stays there.
    if (document.activeElement?.matches(".main textarea, .main select") === true) return;
    scrollTo(0, 0);
    (main.current?.querySelector("h1") ?? main.current)?.focus({ preventScroll: true });
  }, [place]);
}

function useTheme({ theme }: Session): void {
  const chosen = theme.value;
  useEffect(() => {
    if (chosen === "auto") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = chosen;
  }, [chosen]);
}
