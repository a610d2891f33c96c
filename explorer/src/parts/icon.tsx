import type { JSX } from "preact";

/** The lines of each picture, on a grid of 16 by 16. */
const PATHS = {
  add: "M8 3v10M3 8h10",
  chart: "M2.5 13.5h11M4.5 11V8M8 11V3.5M11.5 11V6",
  close: "M4 4l8 8M12 4l-8 8",
  columns: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  copy: "M6 5.5h7.5v8H6zM10.5 5.5v-3H3v8h3",
  dark: "M13 9.5A5.5 5.5 0 1 1 6.5 3 4.5 4.5 0 0 0 13 9.5z",
  delete: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.5 9h6l.5-9",
  down: "M8 3v10M4 9l4 4 4-4",
  download: "M8 2.5v8M4.5 7.5L8 11l3.5-3.5M3 13.5h10",
  edit: "M3 13l.6-2.8L10.5 3.3l2.2 2.2-6.9 6.9z",
  filter: "M2.5 3.5h11L9.5 8.5V13l-3-1.5V8.5z",
  light:
    "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zM8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9",
  search: "M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4zM10.2 10.2l3.3 3.3",
  set: "M2.5 3.5h11v9h-11zM2.5 6.5h11M6 6.5v6",
  system: "M2.5 3h11v7.5h-11zM5.5 13.5h5M8 10.5v3",
  up: "M8 13V3M4 7l4-4 4 4",
} as const;

/** The name of a picture. */
export type IconName = keyof typeof PATHS;

/** Shows a small picture. A text beside it, or the name of its button, says what it means. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
