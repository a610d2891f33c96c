import type { JSX } from "preact";
import { Heading } from "../../parts/heading.tsx";
import type { ScreenProps } from "../../state/session.ts";
export function Chart(_: ScreenProps): JSX.Element {
  return <Heading>Chart</Heading>;
}
