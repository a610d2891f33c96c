import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "../parts/button.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import type { OpenSession, Theme } from "../state/session.ts";
import { type ScreenName, hrefOf, viewOf } from "../state/view.ts";
import { Search } from "./search.tsx";

/** Shows the title of the service, the search, and links to the screens that belong to no set. */
export function Header(props: { readonly session: OpenSession; readonly theme: Signal<Theme> }): JSX.Element {
  const { session, theme } = props;
  return (
    <header class="header">
      <a class="brand" href={hrefOf(viewOf("home"))}>
        <Icon name="set" />
        <span dir="auto">{session.about.title ?? session.model.title}</span>
      </a>
      <Search session={session} />
      <Screens session={session} />
      <div class="row spread">
        <SignedIn session={session} />
        <ThemeMenu theme={theme} />
      </div>
    </header>
  );
}

const LINKS: readonly { readonly screen: ScreenName; readonly label: string }[] = [
  { screen: "home", label: "Home" },
  { screen: "relations", label: "Relations" },
  { screen: "operation", label: "Operations" },
];

function Screens({ session }: { readonly session: OpenSession }): JSX.Element {
  const current = session.view.value.screen;
  const links = LINKS.filter(({ screen }) => screen !== "operation" || session.model.operations.length > 0);
  return (
    <nav aria-label="Screens">
      <ul>
        {links.map(({ screen, label }) => (
          <li key={screen}>
            <a href={hrefOf(viewOf(screen))} aria-current={screen === current ? "page" : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function SignedIn({ session }: { readonly session: OpenSession }): JSX.Element | null {
  const user = session.credentials.user.value;
  const signIn = (): void => {
    session.signInRequest.value = { error: null };
  };
  if (user === null && session.signIn === null) return null;
  return (
    <>
      {user === null ? null : <span class="dim small">{user}</span>}
      <Button kind="quiet" onClick={user === null ? signIn : () => session.signInWith(null)}>
        {user === null ? "Sign in" : "Sign out"}
      </Button>
    </>
  );
}

const THEMES: readonly { readonly theme: Theme; readonly label: string; readonly icon: IconName }[] = [
  { theme: "auto", label: "Colours of the system", icon: "system" },
  { theme: "light", label: "Light", icon: "light" },
  { theme: "dark", label: "Dark", icon: "dark" },
];

function ThemeMenu({ theme }: { readonly theme: Signal<Theme> }): JSX.Element {
  const current = theme.value;
  const chosen = THEMES.find((each) => each.theme === current);
  return (
    <Menu
      label={`Colours: ${chosen?.label ?? ""}`}
      icon={chosen?.icon ?? "system"}
      kind="quiet"
      isIcon
      items={THEMES.map(({ theme: each, label, icon }) => ({
        label,
        icon,
        onSelect: () => {
          theme.value = each;
        },
      }))}
    />
  );
}
