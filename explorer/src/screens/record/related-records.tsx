import type { JSX } from "preact";
import { type Entity, toEntity } from "../../format/entity.ts";
import { showValue } from "../../format/show-value.ts";
import { labelProperty } from "../../model/label-property.ts";
import type { EntitySet, Model, Navigation } from "../../model/model.ts";
import { condition, NO_FILTER } from "../../query/filter-tree.ts";
import { keyPredicate, toLiteral } from "../../query/literals.ts";
import { writeFilter } from "../../query/write-filter.ts";
import type { OpenSession } from "../../state/session.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import { encodePath, hrefOf, type View, viewOf } from "../../state/view.ts";
import type { ShownRecord } from "./shown-record.ts";

/** Shows the navigations of a record in both directions. */
export function RelatedRecords(props: ShownRecord): JSX.Element | null {
  const { session, place, entity } = props;
  const own = [...place.type.navigations.values()];
  const back = place.set === null ? [] : referencesTo(session.model, place.set, entity);
  if (own.length + back.length === 0) return null;
  return (
    <section class="related" aria-labelledby="related">
      <h2 id="related">Related records</h2>
      <ul class="related-list">
        {own.map((navigation) => {
          const Related = navigation.isCollection ? ManyRecords : OneRecord;
          return (
            <li key={navigation.name}>
              <Related {...props} navigation={navigation} />
            </li>
          );
        })}
        {back.map(({ set, navigation, target }) => (
          <li key={`${set.name}/${navigation.name}`}>
            <a href={hrefOf(target)}>{set.name}</a>
            <span class="dim">{`whose ${navigation.name} is this record`}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

type RelatedProps = ShownRecord & { readonly navigation: Navigation };

function OneRecord({ path, place, navigation, entity }: RelatedProps): JSX.Element {
  const { name, target } = navigation;
  if (entity.values[name] === null) {
    return (
      <>
        <span>{name}</span>
        <span class="value value-null">none</span>
      </>
    );
  }
  const related = toEntity(entity.values[name])?.values ?? {};
  const text = related[labelProperty(target)?.name ?? ""];
  const set = place.set?.bindings.get(name);
  const key = keyPredicate(target, related);
  return (
    <>
      <a href={hrefOf(viewOf("record", set !== undefined && key !== null ? set + key : `${path}/${name}`))}>{name}</a>
      <span dir="auto">{typeof text === "string" ? text : (key ?? "")}</span>
    </>
  );
}

function ManyRecords({ session, path, place, navigation }: RelatedProps): JSX.Element {
  const { name } = navigation;
  const target = session.model.sets.get(place.set?.bindings.get(name) ?? "");
  const isReadable = place.set?.abilities.navigable(name) !== false;
  const count = useCount(session, isReadable && target?.abilities.canCount !== false ? `${path}/${name}/$count` : null);
  if (!isReadable) return <span class="dim">{`${name}: the service has no path to them`}</span>;
  return (
    <>
      <a href={hrefOf(viewOf("grid", `${path}/${name}`))}>{name}</a>
      <span class="count">{count === null ? "" : showValue(count, null).text}</span>
    </>
  );
}

/** Returns how many records there are, as soon as the service says so; null if it does not. */
function useCount({ client }: OpenSession, path: string | null): number | null {
  const { state } = useLoaded(path ?? "", async (signal) =>
    path === null ? null : Number((await client.get(encodePath(path), { signal, accept: "text/plain" })).body),
  );
  return state.kind === "loaded" && Number.isInteger(state.value) ? state.value : null;
}

interface Reference {
  readonly set: EntitySet;
  readonly navigation: Navigation;
  readonly target: View;
}

/** Returns the navigations of other sets that lead to an entity, and have no navigation back. */
function referencesTo(model: Model, own: EntitySet, { values }: Entity): readonly Reference[] {
  return [...model.sets.values()].flatMap((set) =>
    [...set.type.navigations.values()].flatMap((navigation) => {
      const { name, partner, constraints, isCollection } = navigation;
      if (set.bindings.get(name) !== own.name || partner !== null || isCollection || constraints.size === 0) return [];
      const items = Array.from(constraints, ([from, to]) => {
        const property = set.type.properties.get(from);
        const isFilterable = property !== undefined && set.abilities.filterable(from);
        return isFilterable ? condition(from, "eq", [toLiteral(values[to], property.type)]) : null;
      });
      if (items.includes(null)) return [];
      const filter = writeFilter({ ...NO_FILTER, items: items.filter((item) => item !== null) });
      return [{ set, navigation, target: viewOf("grid", set.name, [["$filter", filter]]) }];
    }),
  );
}
