import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Finding, findInModel } from "../model/find-in-model.ts";
import { Button, Icon } from "../parts/button.tsx";
import type { ScreenProps } from "../state/session.ts";
import { type ScreenName, hrefOf, viewOf } from "../state/view.ts";

const LINKS: readonly (readonly [ScreenName, label: string])[] = [
  ["home", "Home"],
  ["relations", "Relations"],
  ["operation", "Operations"],
];

type HeaderProps = Pick<ScreenProps, "session">;

/** Shows the title of the service, the search, links to the screens that belong to no set, and who is signed in. */
export function Header({ session }: HeaderProps): JSX.Element {
  const { screen } = session.view.value;
  const user = session.credential.value?.user;
  const signIn = (): void => {
    session.signInRequest.value = { refusal: null };
  };
  const signOut = (): void => {
    const isMeant = session.drafts.peek().size === 0 || confirm("Sign out? What you typed and did not save is lost.");
    if (isMeant) session.signInWith(null);
  };
  const links = LINKS.filter(([name]) => name !== "operation" || session.model.operations.length > 0);
  return (
    <header class="header">
      <button type="button" class="skip" onClick={() => document.querySelector("main")?.focus()}>
        Skip to the content
      </button>
      <a class="brand" href={hrefOf(viewOf("home"))}>
        <Icon name="set" />
        <span dir="auto">{session.about.title}</span>
      </a>
      <Search session={session} />
      <nav aria-label="Screens">
        <ul>
          {links.map(([name, label]) => (
            <li key={name}>
              <a href={hrefOf(viewOf(name))} aria-current={name === screen ? "page" : undefined}>
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {user === undefined && session.signIn === null ? null : (
        <div class="row spread">
          <span class="dim small">{user}</span>
          <Button kind="quiet" onClick={user === undefined ? signIn : signOut}>
            {user === undefined ? "Sign in" : "Sign out"}
          </Button>
        </div>
      )}
    </header>
  );
}

const MOST_FINDINGS = 12;

/** Shows the search over sets, properties and operations. The key `/` leads to it. */
function Search({ session }: HeaderProps): JSX.Element {
  const [text, setText] = useState("");
  const findings = new Map(findInModel(session.model, text, MOST_FINDINGS).map((each) => [titleOf(each), each]));
  const show = (finding: Finding | undefined): void => {
    if (finding === undefined) return;
    const { kind, name, set } = finding;
    setText("");
    session.go(kind === "operation" ? viewOf("operation", name) : viewOf("grid", set ?? name));
  };
  return (
    <form
      class="search"
      role="search"
      aria-label="All of this service"
      onSubmit={(event) => {
        event.preventDefault();
        const isUnknown = findings.size === 0 && text !== "";
        if (isUnknown) session.toasts.show(`Nothing here has the name “${text}”.`, null, "failed");
        show([...findings.values()][0]);
      }}
    >
      <Icon name="search" />
      <input
        class="input"
        aria-label="Search sets, properties and operations"
        placeholder="Search this service"
        autocomplete="off"
        list="findings"
        value={text}
        onInput={({ currentTarget: { value } }) => {
          setText(value);
          // The reader chose an entry of the list.
          show(findings.get(value));
        }}
      />
      {text === "" ? <kbd aria-hidden="true">/</kbd> : null}
      <datalist id="findings">
        {[...findings.keys()].map((title) => (
          <option key={title}>{title}</option>
        ))}
      </datalist>
    </form>
  );
}

/** Browsers list titles that contain the typed text, which may be in the description alone. */
function titleOf({ kind, name, set, description }: Finding): string {
  const title = kind === "property" ? `${name} in ${set ?? ""}` : `${name} (${kind})`;
  return description === null ? title : `${title}: ${description}`;
}
