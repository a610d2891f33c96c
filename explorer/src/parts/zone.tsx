import type { JSX } from "preact";
import { useContext } from "preact/hooks";
import { type Zone, zoneOf } from "../format/zone.ts";
import type { PropertyType } from "../model/model.ts";
import { type OpenSession, SessionContext } from "../state/session.ts";
import { Button } from "./button.tsx";

/** Shows the zone of instants next to their heading or value; nothing for other types. */
export function ZoneMark(props: { readonly type: PropertyType | null; readonly zone?: Zone }): JSX.Element | null {
  const chosen = useContext(SessionContext)?.zone.value ?? "UTC";
  const zone = zoneOf(props.type, props.zone ?? chosen);
  return zone === null ? null : <span class="zone">{zone}</span>;
}

type SwitchProps = Readonly<{ session: OpenSession; types: readonly (PropertyType | null)[] }>;

/** Offers the zone of the shown instants; nothing where none of the types has a choice. */
export function ZoneSwitch({ session: { zone }, types }: SwitchProps): JSX.Element | null {
  if (!types.some((type) => zoneOf(type, "local") === "local")) return null;
  const other = zone.value === "UTC" ? "local" : "UTC";
  const change = (): void => {
    zone.value = other;
  };
  return <Button onClick={change}>{`Times: ${zone.value}`}</Button>;
}
