/** Sending pictures to a collection. */
import { send } from "./client";

/** Sent a few at a time, so that one broken connection costs little and the progress can be seen. */
const AT_ONCE = 8;

export interface Uploaded {
  added: number;
  refused: string[];
}

export async function upload(
  collection: string,
  files: readonly File[],
  onProgress: (sent: number) => void,
): Promise<Uploaded> {
  const done: Uploaded = { added: 0, refused: [] };
  for (let i = 0; i < files.length; i += AT_ONCE) {
    onProgress(i);
    const body = new FormData();
    for (const file of files.slice(i, i + AT_ONCE)) body.append("files", file);
    const path = `/collections/${encodeURIComponent(collection)}/upload`;
    const answer = await send<{ added: unknown[]; refused: { name: string }[] }>("POST", path, body);
    done.added += answer.added.length;
    done.refused.push(...answer.refused.map((one) => one.name));
  }
  return done;
}
