import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { callName } from "../../model/find-in-model.ts";
import type { EntitySet, Model } from "../../model/model.ts";
import { Empty } from "../../parts/empty.tsx";
import { TextField } from "../../parts/field.tsx";
import { Heading } from "../../parts/heading.tsx";
import type { ScreenProps } from "../../state/session.ts";
import { hrefOf, viewOf } from "../../state/view.ts";
import { Findings } from "./findings.tsx";
import { SetCard } from "./set-card.tsx";

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
  return (
    <section class="home-section" aria-labelledby="sets">
      <div class="section-head">
        <h2 id="sets">
          Sets{" "}
          <span class="count">{all.length === shown.length ? all.length : `${shown.length} of ${all.length}`}</span>
        </h2>
        {all.length < MANY_SETS ? null : (
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
        )}
      </div>
      {shown.length === 0 ? <NoSets isFiltered={all.length > 0} /> : null}
      <ul class="cards">
        {shown.map((set) => (
          <SetCard key={set.name} set={set} rows={about.rows.get(set.name) ?? null} />
        ))}
      </ul>
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
    <section class="home-section" aria-labelledby="operations">
      <div class="section-head">
        <h2 id="operations">
          Operations <span class="count">{unbound.length}</span>
        </h2>
      </div>
      <ul class="cards">
        {unbound.map((operation, index) => (
          <li key={index} class="card">
            <div class="card-head">
              <a href={hrefOf(viewOf("operation", callName(operation)))}>{callName(operation)}</a>
              <span class="card-count">{operation.kind}</span>
            </div>
            <p dir="auto">{operation.description ?? signature(operation.parameters.map(({ name }) => name))}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function signature(parameters: readonly string[]): string {
  return parameters.length === 0 ? "Takes no parameters" : `Takes ${parameters.join(", ")}`;
}
