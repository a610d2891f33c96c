import type { FunctionComponent, JSX } from "preact";
import { Chart } from "../screens/chart/chart.tsx";
import { Cost } from "../screens/cost/cost.tsx";
import { Edit } from "../screens/edit/edit.tsx";
import { Grid } from "../screens/grid/grid.tsx";
import { Home } from "../screens/home/home.tsx";
import { Operations } from "../screens/operations/operations.tsx";
import { Query } from "../screens/query/query.tsx";
import { Record } from "../screens/record/record.tsx";
import { Relations } from "../screens/relations/relations.tsx";
import type { ScreenProps } from "../state/session.ts";
import type { ScreenName } from "../state/view.ts";
import { Breadcrumb } from "./breadcrumb.tsx";
import { ResourceBar, isOfResource } from "./resource-bar.tsx";

/** The screens of the page, by their names in the URL. */
const SCREENS: Readonly<{ [name in ScreenName]: FunctionComponent<ScreenProps> }> = {
  home: Home,
  grid: Grid,
  record: Record,
  edit: Edit,
  relations: Relations,
  operation: Operations,
  query: Query,
  chart: Chart,
  cost: Cost,
};

/** Shows the screen of a view: its breadcrumb, the tabs of its resource, and its content. */
export function Screen(props: ScreenProps): JSX.Element {
  const { screen, path } = props.view;
  const Content = SCREENS[screen];
  return (
    <>
      {path === "" ? null : <Breadcrumb {...props} />}
      {isOfResource(screen) ? <ResourceBar {...props} /> : null}
      <Content {...props} key={screen} />
    </>
  );
}
