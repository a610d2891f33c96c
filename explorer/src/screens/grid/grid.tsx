import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { ButtonLink } from "../../parts/button.tsx";
import { Description, Heading } from "../../parts/heading.tsx";
import { Empty } from "../../parts/loadable.tsx";
import { resolvePath } from "../../query/resolve-type.ts";
import type { ScreenProps } from "../../state/session.ts";
import { hrefOf, pathSegments, viewOf, withOptions } from "../../state/view.ts";
import { gridQuery } from "./grid-query.ts";
import { Rows } from "./rows.tsx";

/** Shows the rows of a collection. */
export function Grid({ session, view }: ScreenProps): JSX.Element {
  // The row to begin with is no part of the query.
  const place = hrefOf(withOptions(view, { row: null }));
  const query = useMemo(() => gridQuery(session.model, view), [session.model, place]);
  const user = session.signIns.value;
  return (
    <div class="grid-screen">
      <Heading>{pathSegments(view.path).at(-1) ?? view.path}</Heading>
      {query === null ? (
        <NoRows session={session} view={view} />
      ) : (
        <>
          <Description text={query.place.set?.description ?? query.place.type.description} />
          <Rows key={`${user} ${view.path}`} session={session} view={view} query={query} />
        </>
      )}
    </div>
  );
}

/** A path may lead to one record, or to nothing that the user sees. */
function NoRows({ session, view }: ScreenProps): JSX.Element {
  const place = resolvePath(session.model, view.path);
  return place === null ? (
    <Empty title={`The service has no ${view.path}`}>
      <p>The name may be wrong, or the rules of your user hide it.</p>
      <ButtonLink href={hrefOf(viewOf("home"))}>See all sets</ButtonLink>
    </Empty>
  ) : (
    <Empty title="This path leads to one record">
      <ButtonLink href={hrefOf(viewOf("record", view.path))}>Open the record</ButtonLink>
    </Empty>
  );
}
