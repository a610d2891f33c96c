import type { JSX } from "preact";
import { callName } from "../model/find-in-model.ts";
import type { Model, Operation } from "../model/model.ts";
import { type View, hrefOf, viewOf } from "../state/view.ts";

/** A name that leads to a view, with what a reader wants to know of it. */
export interface Card {
  readonly name: string;
  readonly target: View;
  readonly fact: string;
  readonly text: string;
}

/** Shows a card for each name below a title; nothing without names. */
export function Cards({
  title,
  cards,
}: {
  readonly title: string;
  readonly cards: readonly Card[];
}): JSX.Element | null {
  if (cards.length === 0) return null;
  return (
    <section class="home-section" aria-labelledby={title}>
      <h2 class="section-head" id={title}>
        {title} <span class="count">{cards.length}</span>
      </h2>
      <ul class="cards">
        {cards.map(({ name, target, fact, text }, index) => (
          <li key={index} class="card">
            <div class="card-head">
              <a href={hrefOf(target)}>{name}</a>
              <span class="card-count">{fact}</span>
            </div>
            <p dir="auto">{text}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns the card of an operation. One that is bound leads to a set whose records have it. */
export function operationCard({ sets }: Model, operation: Operation): Card {
  const { kind, parameters, description, boundTo, boundToCollection, qualifiedName } = operation;
  const name = callName(operation);
  const set = [...sets.values()].find(({ type }) => type === boundTo)?.name ?? "";
  const bound = boundToCollection ? viewOf("operation", `${set}/${qualifiedName}`) : viewOf("grid", set);
  const names = parameters.map((parameter) => parameter.name).join(", ");
  return {
    name,
    target: boundTo === null ? viewOf("operation", name) : bound,
    fact: boundTo === null ? kind : `${kind} of ${boundToCollection ? "records" : "a record"} of ${boundTo.name}`,
    text: description ?? (names === "" ? "Takes no parameters" : `Takes ${names}`),
  };
}
