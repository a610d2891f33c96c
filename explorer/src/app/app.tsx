import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Loadable } from "../parts/loadable.tsx";
import { type Session, type Service, openService } from "../state/session.ts";
import { useCell } from "../state/use-cell.ts";
import { type Loading, useLoaded } from "../state/use-loaded.ts";
import { Header } from "./header.tsx";
import { Screen } from "./screen.tsx";
import { SignIn } from "./sign-in.tsx";
import { ToastList } from "./toast-list.tsx";

/** Shows the page: it reads the model of the service, then shows the screen that the URL names. */
export function App({ session }: { readonly session: Session }): JSX.Element {
  // Another user may see another model.
  const user = String(useCell(session.credentials.changes));
  const loading = useLoaded(user, (signal) => openService(session.client, signal));
  useTheme(session);
  return (
    <>
      <Opened session={session} loading={loading} />
      <ToastList toasts={session.toasts} />
      <div class="hidden" aria-live="polite">
        {useCell(session.announcement)}
      </div>
    </>
  );
}

function Opened({ session, loading }: { readonly session: Session; readonly loading: Loading<Service> }): JSX.Element {
  const { state } = loading;
  const request = useCell(session.signInRequest);
  if (request !== null) return <SignIn session={session} request={request} />;
  if (state.kind === "loaded") return <Shell session={session} service={state.value} />;
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
  const view = useCell(session.view);
  const main = useRef<HTMLElement>(null);
  useNewScreen(`${view.screen}/${view.path}`, main, open.about.title ?? open.model.title);
  return (
    <>
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
    </>
  );
}

/** Names the new screen in the title of the window, and moves the focus to its heading, but not as the page opens. */
function useNewScreen(place: string, main: { readonly current: HTMLElement | null }, title: string): void {
  const isFirst = useRef(true);
  useEffect(() => {
    const heading = main.current?.querySelector("h1") ?? null;
    const name = heading?.textContent ?? "";
    document.title = name === "" || name === title ? title : `${name} · ${title}`;
    // Who writes a path, or chooses one, stays there.
    const isWriting = document.activeElement?.matches(".main textarea, .main select") === true;
    if (isFirst.current) isFirst.current = false;
    else if (!isWriting) {
      scrollTo(0, 0);
      heading?.focus({ preventScroll: true });
    }
  }, [place, title]);
}

function useTheme({ theme }: Session): void {
  const chosen = useCell(theme);
  useEffect(() => {
    if (chosen === "auto") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = chosen;
  }, [chosen]);
}
