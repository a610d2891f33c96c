import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "./button.tsx";

/** Anything longer gets progress and a way to stop it. */
const PATIENCE_MILLISECONDS = 500;

interface BusyProps {
  /** Such as "Loading Orders". */
  readonly label: string;
  readonly onStop?: (() => void) | undefined;
}

/** Shows that something is loading: lines in the shape of what comes; after half a second, a way to stop it. */
export function Busy(props: BusyProps & { readonly lines?: number | undefined }): JSX.Element {
  return (
    <div class="busy" role="status" aria-busy="true">
      <span class="hidden">{props.label}</span>
      <BusyBar {...props} />
      <div class="busy" aria-hidden="true">
        {Array.from({ length: props.lines ?? 5 }, (_, index) => (
          <div key={index} class="busy-line" />
        ))}
      </div>
    </div>
  );
}

/** Shows progress beside what is on the screen already; nothing for the first half second. */
export function BusyBar({ label, onStop }: BusyProps): JSX.Element | null {
  return useIsLong() ? (
    <div class="busy-note">
      <progress aria-label={label} />
      <span class="dim">{label} …</span>
      {onStop === undefined ? null : <Button onClick={onStop}>Stop</Button>}
    </div>
  ) : null;
}

function useIsLong(): boolean {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), PATIENCE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, []);
  return isLong;
}
