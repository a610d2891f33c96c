import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { callName } from "../../model/find-in-model.ts";
import type { EntitySet, Model } from "../../model/model.ts";
import { TextField } from "../../parts/field.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Empty } from "../../parts/loadable.tsx";
import type { ScreenProps } from "../../state/session.ts";
import { hrefOf, viewOf } from "../../state/view.ts";
import { Findings } from "./findings.tsx";
import { Card, SetCard } from "./set-card.tsx";

/** From this number of sets on, a field filters their list. */
const MANY_SETS = 9;

/** Shows what the service offers: its sets, its operations, and what the check of its database found. */
export function Home({ session }: ScreenProps): JSX.Element {
  const { model, about } = session;
  return (
    <div class="home">
      <div class="home-head">
        <Heading>{about.title ?? model.title}</Heading>
        {model.description === null ? null : <p dir="auto">{model.description}</p>}
      </div>
      <Findings warnings={about.warnings} />
      <Sets session={session} />
      <Operations model={model} />
    </div>
  );
}

function Sets({ session }: Pick<ScreenProps, "session">): JSX.Element {
  const { model, about } = session;
  const [text, setText] = useState("");
  const all = [...model.sets.values()];
  const shown = all.filter((set) => isFound(set, text));
  const filter = (
    <TextField
      label="Filter the sets"
      isLabelHidden
      type="search"
      placeholder="Filter the sets"
      value={text}
      onInput={(value) => {
        setText(value);
        session.announce(`${all.filter((set) => isFound(set, value)).length} sets`);
      }}
    />
  );
  return (
    <Cards
      id="sets"
      title="Sets"
      count={all.length === shown.length ? `${all.length}` : `${shown.length} of ${all.length}`}
      filter={all.length < MANY_SETS ? null : filter}
      none={<NoSets isFiltered={all.length > 0} />}
    >
      {shown.map((set) => (
        <SetCard key={set.name} set={set} rows={about.rows.get(set.name) ?? null} />
      ))}
    </Cards>
  );
}

function Cards(props: {
  readonly id: string;
  readonly title: string;
  readonly count: string;
  readonly filter: JSX.Element | null;
  /** What stands in place of no cards. */
  readonly none: JSX.Element | null;
  readonly children: readonly JSX.Element[];
}): JSX.Element {
  const { id, title, count, filter, none, children } = props;
  return (
    <section class="home-section" aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>
          {title} <span class="count">{count}</span>
        </h2>
        {filter}
      </div>
      {children.length === 0 ? none : <ul class="cards">{children}</ul>}
    </section>
  );
}

function isFound({ name, description, type }: EntitySet, text: string): boolean {
  return `${name} ${type.name} ${description ?? ""}`.toLocaleLowerCase().includes(text.trim().toLocaleLowerCase());
}

function NoSets({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  return isFiltered ? (
    <Empty title="No set matches">
      <p>The search at the top looks into properties and operations, too.</p>
    </Empty>
  ) : (
    <Empty title="This service has no sets">
      <p>Sets appear here once the service declares them. The rules of your user may also hide them.</p>
    </Empty>
  );
}

function Operations({ model }: { readonly model: Model }): JSX.Element | null {
  const unbound = model.operations.filter(({ importName }) => importName !== null);
  if (unbound.length === 0) return null;
  return (
    <Cards id="operations" title="Operations" count={`${unbound.length}`} filter={null} none={null}>
      {unbound.map((operation, index) => (
        <Card
          key={index}
          href={hrefOf(viewOf("operation", callName(operation)))}
          name={callName(operation)}
          fact={operation.kind}
          text={operation.description ?? signature(operation.parameters.map(({ name }) => name))}
        />
      ))}
    </Cards>
  );
}

function signature(parameters: readonly string[]): string {
  return parameters.length === 0 ? "Takes no parameters" : `Takes ${parameters.join(", ")}`;
}
