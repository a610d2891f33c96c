import type { JSX } from "preact";
import type { ScreenProps } from "../state/session.ts";
import { type ScreenName, hrefOf } from "../state/view.ts";
import { CopyMenu } from "./copy-menu.tsx";

/** The screens of one query: each shows the same path with the same options. */
const TABS = [
  { screen: "grid", label: "Grid" },
  { screen: "query", label: "Query" },
  { screen: "chart", label: "Chart" },
  { screen: "cost", label: "Cost" },
] as const;

/** Returns whether a screen shows a query. */
export function isOfResource(screen: ScreenName): boolean {
  return TABS.some((tab) => tab.screen === screen);
}

/** Shows links to the other screens of a query, with the same options, and what copies it. They have URLs: no tabs of ARIA. */
export function ResourceBar({ session, view }: ScreenProps): JSX.Element {
  return (
    <div class="resource-bar">
      <nav class="tabs" aria-label="Views of this query">
        {TABS.map(({ screen, label }) => (
          <a
            key={screen}
            class="tab"
            href={hrefOf({ ...view, screen })}
            aria-current={screen === view.screen ? "page" : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      <CopyMenu session={session} view={view} />
    </div>
  );
}
