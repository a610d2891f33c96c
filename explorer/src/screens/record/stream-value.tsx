import type { JSX } from "preact";
import { Button } from "../../parts/button.tsx";
import { Loadable } from "../../parts/loadable.tsx";
import type { RecordPlace } from "../../parts/record-writes.ts";
import { saveFile } from "../../parts/save-file.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import { encodePath } from "../../state/view.ts";
import { BlobPicture } from "./blob-picture.tsx";

interface StreamProps extends Pick<RecordPlace, "session"> {
  readonly name: string;
  readonly path: string;
  readonly mediaType: string;
}

/** Offers a stream as a file, and shows it where it is a picture. The page reads it, because a link would have no credential. */
export function StreamValue(props: StreamProps): JSX.Element {
  const { session, name, path, mediaType } = props;
  const run = async (signal: AbortSignal) => saveFile(await session.client.getFile(encodePath(path), signal), name);
  return (
    <span class="binary">
      {/^image\/(?:avif|gif|jpeg|png|webp)$/u.test(mediaType) ? <StreamPicture {...props} /> : null}
      <span>
        <Button icon="download" onClick={() => void session.toasts.attempt({ label: `Reading ${name}`, run })}>
          {`Download ${name} (${mediaType})`}
        </Button>
      </span>
    </span>
  );
}

function StreamPicture({ session, name, path }: StreamProps): JSX.Element {
  const loading = useLoaded(path, (signal) => session.client.getFile(encodePath(path), signal));
  return (
    <Loadable loading={loading} label={`Loading ${name}`} lines={1}>
      {(content) => <BlobPicture name={name} content={content} />}
    </Loadable>
  );
}
