import type { FunctionComponent, JSX } from "preact";
import { Button } from "../parts/button.tsx";
import { RecordLabel } from "../parts/record-label.tsx";
import { Edit } from "../screens/edit/edit.tsx";
import { Find } from "../screens/find/find.tsx";
import { gridQuery } from "../screens/grid/grid-query.ts";
import { Grid } from "../screens/grid/grid.tsx";
import { sized } from "../screens/grid/paged-rows.ts";
import { Home } from "../screens/home/home.tsx";
import { Operations } from "../screens/operations/operations.tsx";
import { Record } from "../screens/record/record.tsx";
import type { ScreenProps } from "../state/session.ts";
import { type ScreenName, decode, hrefOf, resourceUrl, viewOf, withOptions } from "../state/view.ts";
import { CopyAs } from "./copy-as.tsx";
import { lazyScreen } from "./lazy-screen.tsx";

/** The screens of the page, by their names in the URL. */
const SCREENS: Readonly<{ [name in ScreenName]: FunctionComponent<ScreenProps> }> = {
  home: Home,
  find: Find,
  grid: Grid,
  record: Record,
  edit: Edit,
  relations: lazyScreen("Relations", async () => (await import("../screens/relations/relations.tsx")).Relations),
  operation: Operations,
  query: lazyScreen("Query", async () => (await import("../screens/query/query.tsx")).Query),
  chart: lazyScreen("Chart", async () => (await import("../screens/chart/chart.tsx")).Chart),
  cost: lazyScreen("Cost", async () => {
    const { Cost } = await import("../screens/cost/cost.tsx");
    return (props) => {
      const { session, view } = props;
      const plain = gridQuery(session, view, false)?.first ?? resourceUrl(view);
      const url = gridQuery(session, view)?.first ?? plain;
      return <Cost {...props} {...{ url, plain }} headers={sized()} />;
    };
  }),
};

/** The screens of one query: each shows the same path with the same options. */
const TABS: readonly ScreenName[] = ["grid", "query", "chart", "cost"];

/** Shows the screen of a view: where it is, the other screens of its query, and its content. */
export function Screen({ session, view }: ScreenProps): JSX.Element {
  const { screen, path } = view;
  const Content = SCREENS[screen];
  return (
    <>
      {path === "" ? null : <Breadcrumb session={session} view={view} />}
      {TABS.includes(screen) ? (
        <div class="resource-bar">
          <nav class="tabs" aria-label="Views of this query">
            {TABS.map((tab) => (
              <a
                key={tab}
                class="tab"
                href={hrefOf({ ...withOptions(view, { draft: null }), screen: tab })}
                aria-current={tab === screen ? "page" : undefined}
              >
                {`${tab[0]?.toUpperCase() ?? ""}${tab.slice(1)}`}
              </a>
            ))}
          </nav>
          <div class="row">
            <Button icon="add" onClick={() => saveView(session, view)}>
              Save view
            </Button>
            <CopyAs session={session} view={view} />
          </div>
        </div>
      ) : null}
      <Content key={screen} session={session} view={view} />
    </>
  );
}

/** Saves a view under a name, for which the browser asks. */
function saveView({ kept, toasts }: ScreenProps["session"], view: ScreenProps["view"]): void {
  const name = prompt("Name of this view. This browser keeps its conditions, too.", decode(view.path))?.trim() ?? "";
  if (name === "") return;
  if (kept.save(name, view)) toasts.show(`Saved: ${name}. Home leads to it.`);
  else toasts.show("The browser keeps no more views. Forget some on Home.", null, "failed");
}

/** The names and keys of a path: `Orders(1)/Items` is the set `Orders`, its record `(1)`, and the items of that. */
const CRUMB = /[^/(]+|\((?:'[^']*(?:'|$)|[^')])*(?:\)|$)/gu;

/** Shows where the reader is: a link for each part of the resource path. */
function Breadcrumb({ session, view }: ScreenProps): JSX.Element {
  const parts = Array.from(view.path.matchAll(CRUMB), ({ 0: text, index }) => {
    const place = viewOf(text.startsWith("(") ? "record" : "grid", view.path.slice(0, index + text.length));
    return { text: decode(text), place };
  });
  const crumbs = [{ text: "Home", place: viewOf("home") }, ...parts.slice(0, -1)];
  return (
    <nav class="crumbs" aria-label="Path">
      <ol>
        {crumbs.map(({ text, place }, index) => (
          <li key={index}>
            <a href={hrefOf(place)}>
              {place.screen === "record" ? <RecordLabel session={session} path={place.path} other={text} /> : text}
            </a>
          </li>
        ))}
        <li aria-current="page">{parts.at(-1)?.text ?? view.path}</li>
      </ol>
    </nav>
  );
}
