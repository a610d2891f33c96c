import type { JSX } from "preact";
import { useContext } from "preact/hooks";
import { zoneOf } from "../format/zone.ts";
import type { PropertyType } from "../model/model.ts";
import { type OpenSession, SessionContext } from "../state/session.ts";

/** Shows the zone of instants next to their heading or value; nothing for other types. */
export function ZoneMark({ type }: { readonly type: PropertyType | null }): JSX.Element | null {
  const zone = zoneOf(type, useContext(SessionContext)?.zone.value ?? "UTC");
  return zone === null ? null : <span class="zone">{zone}</span>;
}

/** Offers the zone of the shown instants; nothing where none of the types has a choice. */
export function ZoneSwitch(props: {
  readonly session: OpenSession;
  readonly types: readonly (PropertyType | null)[];
}): JSX.Element | null {
  const { zone } = props.session;
  if (!props.types.some((type) => zoneOf(type, "local") === "local")) return null;
  const change = (value: string): void => {
    zone.value = value === "UTC" ? "UTC" : "local";
  };
  return (
    <label class="zone-switch">
      <span>Times</span>
      <select class="input" onChange={({ currentTarget: { value } }) => change(value)}>
        <option value="local" selected={zone.value === "local"}>
          {`local (${new Intl.DateTimeFormat().resolvedOptions().timeZone})`}
        </option>
        <option value="UTC" selected={zone.value === "UTC"}>
          UTC
        </option>
      </select>
    </label>
  );
}
