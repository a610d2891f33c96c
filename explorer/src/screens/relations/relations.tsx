import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { EntitySet, Model } from "../../model/model.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { CheckField, TextField } from "../../parts/field.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Empty } from "../../parts/loadable.tsx";
import { nameOfType } from "../../query/resolve-type.ts";
import type { ScreenProps } from "../../state/session.ts";
import { hrefOf, viewOf, withOptions } from "../../state/view.ts";
import { Diagram } from "./diagram.tsx";
import { countOf, namesOf, type Relation, toRelations, touches } from "./to-relations.ts";

/** From this number of sets on, the diagram begins with the neighbours of one set. */
const MANY_SETS = 80;

/** Shows the sets of the model and the relations between them, as a picture and as a table. */
export function Relations({ session, view }: ScreenProps): JSX.Element {
  const { model } = session;
  const all = useMemo(() => toRelations(model), [model]);
  const isMany = model.sets.size >= MANY_SETS;
  const [sought, setSought] = useState("");
  const set = model.sets.get(view.options.get("focus") ?? "") ?? (isMany ? busiest(model, all) : undefined);
  const focus = set?.name ?? null;
  const isNear = (focus !== null || isMany) && (view.options.get("near") ?? String(isMany)) === "true";
  const own = focus === null ? all : all.filter((relation) => touches(relation, focus));
  const shown = useMemo(() => {
    const ends = focus === null ? [] : own.flatMap(({ from, to }) => [from, to]);
    const names = new Set(isNear ? [focus, ...ends] : model.sets.keys());
    return {
      sets: [...model.sets.values()].filter(({ name }) => names.has(name)),
      relations: isNear ? own : all,
    };
  }, [model, focus, isNear]);
  const change = (changes: Readonly<Record<string, string | null>>): void =>
    session.go(withOptions(view, changes), { replace: true });
  return (
    <div class="relations">
      <Heading>Relations</Heading>
      <div class="row relations-choices">
        <TextField
          label="Set"
          type="search"
          value={sought === "" ? (focus ?? "") : sought}
          control={{ list: "sets" }}
          onInput={(text) => {
            const isSet = model.sets.has(text);
            setSought(isSet ? "" : text);
            if (isSet || text === "") change({ focus: text });
          }}
        />
        <datalist id="sets">
          {[...model.sets.keys()].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </datalist>
        <CheckField
          label="Only its neighbours"
          checked={isNear}
          disabled={focus === null && !isMany}
          onChange={(near) => change({ near: String(near) })}
        />
      </div>
      {shown.sets.length > 0 ? (
        <Diagram {...{ session, view, focus, sought, ...shown }} />
      ) : (
        <Empty title="This service has no sets" />
      )}
      {set === undefined ? null : <Properties key={set.name} set={set} />}
      <RelationTable relations={own} title={focus === null ? "All relations" : `Relations of ${focus}`} />
    </div>
  );
}

/** Returns the set with the most relations. */
function busiest({ sets }: Model, relations: readonly Relation[]): EntitySet | undefined {
  const counts = new Map<string, number>();
  for (const name of relations.flatMap(({ from, to }) => [from, to])) counts.set(name, (counts.get(name) ?? 0) + 1);
  const [name = ""] = [...counts].toSorted(([, one], [, other]) => other - one)[0] ?? [];
  return sets.get(name);
}

function Properties({ set }: { readonly set: EntitySet }): JSX.Element {
  return (
    <details>
      <summary>Properties of {set.name}</summary>
      <DataTable
        label="Properties"
        columns={["Name", "Type", "Description"]}
        rows={Array.from(set.type.properties.values(), ({ name, type, isCollection, description }) => [
          name,
          isCollection ? `collection of ${nameOfType(type)}` : nameOfType(type),
          description,
        ])}
      />
    </details>
  );
}

function RelationTable(props: { readonly relations: readonly Relation[]; readonly title: string }): JSX.Element {
  const linkTo = (name: string): JSX.Element => <a href={hrefOf(viewOf("grid", name))}>{name}</a>;
  return (
    <section class="relations-list" aria-labelledby="relations-list">
      <h2 id="relations-list">
        {props.title} <span class="count">{props.relations.length}</span>
      </h2>
      <DataTable
        label="Relations"
        columns={["From", "How many", "By", "To", "How many", "Navigations"]}
        rows={props.relations.map((relation) => [
          linkTo(relation.from),
          countOf(relation.back),
          [...(relation.forth?.constraints.keys() ?? [])].join(", "),
          linkTo(relation.to),
          countOf(relation.forth),
          namesOf(relation),
        ])}
      />
    </section>
  );
}
