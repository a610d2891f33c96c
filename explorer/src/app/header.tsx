import type { JSX } from "preact";
import { findInModel } from "../model/find-in-model.ts";
import { Button, Icon } from "../parts/button.tsx";
import { SearchBox, viewOfFinding } from "../parts/search-box.tsx";
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
    if (session.drafts.peek().size === 0 || confirm("Give up what is not saved?")) session.signInWith(null);
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

/** Shows the search over names and the rows of all sets. The key `/` leads to it, or to the search of the screen. */
function Search({ session }: HeaderProps): JSX.Element {
  const find = (text: string): void => {
    const [first] = findInModel(session.model, text, 1);
    const isName = first !== undefined && first.kind !== "property" && first.name.toLowerCase() === text.toLowerCase();
    if (text !== "") session.go(isName ? viewOfFinding(first) : viewOf("find", "", [["text", text]]));
  };
  return <SearchBox place="all of this service" found="" onFind={find} {...{ session }} />;
}
