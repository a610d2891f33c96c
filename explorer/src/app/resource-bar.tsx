import type { JSX } from "preact";
import { Tabs } from "../parts/tabs.tsx";
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

/** Shows the tabs of a query, which lead to its other screens with the same options, and what copies it. */
export function ResourceBar({ session, view }: ScreenProps): JSX.Element {
  return (
    <div class="resource-bar">
      <Tabs
        label="Views of this query"
        tabs={TABS.map(({ screen, label }) => ({
          label,
          href: hrefOf({ ...view, screen }),
          isCurrent: screen === view.screen,
        }))}
      />
      <CopyMenu session={session} view={view} />
    </div>
  );
}
