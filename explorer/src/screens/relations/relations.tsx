import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { DataTable } from "../../parts/data-table.tsx";
import { CheckField, TextField } from "../../parts/field.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Empty } from "../../parts/loadable.tsx";
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
  const focus = model.sets.get(view.options.get("focus") ?? "")?.name ?? null;
  const isMany = model.sets.size >= MANY_SETS;
  const isNear = (focus !== null || isMany) && (view.options.get("near") ?? String(isMany)) === "true";
  const own = focus === null ? all : all.filter((relation) => touches(relation, focus));
  const shown = useMemo(() => {
    const ends = focus === null ? [] : own.flatMap(({ from, to }) => [from, to]);
    const names = new Set(isNear ? [focus, ...ends] : model.sets.keys());
    return {
      sets: [...model.sets.values()].filter(({ name }) => names.has(name)),
      relations: all.filter(({ from, to }) => names.has(from) && names.has(to)),
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
          value={focus ?? ""}
          choices={[{ value: "", label: "None" }, ...model.sets.keys()]}
          onInput={(name) => change({ focus: name === "" ? null : name })}
        />
        <CheckField
          label="Only its neighbours"
          checked={isNear}
          disabled={focus === null && !isMany}
          onChange={(near) => change({ near: String(near) })}
        />
      </div>
      {shown.sets.length > 0 ? (
        <Diagram {...{ session, view, focus, ...shown }} />
      ) : (
        <Empty title={`This service has ${model.sets.size} sets`}>
          {isMany ? <p>Choose a set to see it with its neighbours, or show all sets.</p> : null}
        </Empty>
      )}
      <RelationTable relations={own} title={focus === null ? "All relations" : `Relations of ${focus}`} />
    </div>
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
