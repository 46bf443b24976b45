/** The icons: one line of path each, drawn on a 20 x 20 grid. */

const PATHS = {
  send: "M10 16V4M5 9l5-5 5 5",
  picture: "M3.5 4.5h13v11h-13zM3.5 13l3.5-3.5 3 3 2.5-2.5 4 4M12.8 7.6h.01",
  more: "M4 10h.8M9.6 10h.8M15.2 10h.8",
  like: "M10 16.2S3.6 12.4 3.6 8.1A3.4 3.4 0 0 1 10 6.4a3.4 3.4 0 0 1 6.4 1.7c0 4.3-6.4 8.1-6.4 8.1z",
  similar: "M3.500 3.500h9v9h-9zM7.500 7.500h9v9h-9z",
  album: "M3.500 6.500h13v10h-13zM5.500 4h9M7.500 1.800h5",
  map: "M3.500 5l4.500-1.500 4 1.500 4.500-1.500v11.500L12 16.500 8 15l-4.500 1.500zM8 3.500V15M12 5v11.500",
  select: "M3.500 3.500h13v13h-13zM6.500 10l2.500 2.500 4.500-5",
  unlike: "M10 3.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM5.5 5.5l9 9",
  from: "M4 10h11M11 5.5l4.5 4.5-4.5 4.5M4 5v10",
  close: "M5 5l10 10M15 5L5 15",
  back: "M8 5l-5 5 5 5M3.5 10H12a4 4 0 0 1 0 8h-1",
  undo: "M7 4L3.5 7.5 7 11M4 7.5h7.5a4.5 4.5 0 0 1 0 9H8",
  redo: "M13 4l3.500 3.500L13 11M16 7.500H8.500a4.500 4.500 0 0 0 0 9H12",
  branch: "M6 4v12M6 12c0-4 8-2 8-6.500M14 5.500V4M4.500 4h3M12.500 4h3M4.500 16h3",
  compare: "M3.500 4.500h5.500v11H3.500zM11 4.500h5.500v11H11z",
  pin: "M8 3.500h4l-.6 5 2.600 3H6l2.600-3zM10 11.500V17",
  filter: "M3.500 5h13M6 10h8M8.500 15h3",
  sort: "M6 4v12M3.500 13.500L6 16l2.500-2.500M14 16V4M11.500 6.500L14 4l2.500 2.500",
  menu: "M3.500 6h13M3.500 10h13M3.500 14h13",
  plus: "M10 4v12M4 10h12",
  minus: "M4 10h12",
  down: "M5 7.500l5 5 5-5",
  up: "M5 12.500l5-5 5 5",
  left: "M12.500 5l-5 5 5 5",
  right: "M7.500 5l5 5-5 5",
  check: "M4 10.500l4 4 8-9",
  sun: "M10 6.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7zM10 2v1.500M10 16.500V18M2 10h1.500M16.500 10H18M4.300 4.300l1.100 1.100M14.600 14.600l1.100 1.100M15.700 4.300l-1.100 1.100M5.400 14.600l-1.100 1.100",
  moon: "M16 11.800A6.500 6.500 0 0 1 8.200 4 6.500 6.500 0 1 0 16 11.800z",
  system: "M3.500 4.500h13v8.500h-13zM7 16.500h6M10 13v3.500",
  share: "M10 12V3M6.500 6L10 2.700 13.500 6M5 9.500H4v7h12v-7h-1",
  export: "M10 3v9M6.500 9L10 12.300 13.500 9M4 13.500v3h12v-3",
  keyboard: "M2.500 5.500h15v9h-15zM5.500 8.500h.01M8.500 8.500h.01M11.500 8.500h.01M14.500 8.500h.01M6.500 11.500h7",
  edit: "M4 16l.8-3.500L13 4.300a1.500 1.500 0 0 1 2.100 0l.6.6a1.500 1.500 0 0 1 0 2.100L7.500 15.200z",
  brush: "M16.500 3.500L9 11M9 11c-2.500-.5-4 1-4 3 0 1-.5 1.500-1.500 2 3 .8 6.500.3 6.500-3 0-.8-.4-1.500-1-2z",
  crop: "M6 2.500V14h11.500M2.500 6H14v11.500",
  look: "M8.800 3.800a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM12.500 12.500L16.500 16.500",
  trash: "M4 6h12M8 6V4h4v2M5.500 6l.7 10.500h7.600L14.500 6",
  folder: "M3 5.500h5l1.500 2H17v8H3z",
  talk: "M4 4.500h12a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H9l-3.500 3v-3H4a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1z",
  off: "M10 3.500v6M6.200 5.500a6 6 0 1 0 7.600 0",
  retry: "M16 10a6 6 0 1 1-1.800-4.300M16 3.500V7h-3.500",
  leave: "M8 3.500H4v13h4M12.500 6.500L16 10l-3.500 3.500M16 10H8",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** A picture and the words opposite: the mark. */
export function Mark({ size = 26 }: { size?: number }) {
  return (
    <svg class="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect class="mark-picture" x="2" y="6" width="13" height="20" rx="3" />
      <path
        class="mark-words"
        d="M20 6h7a3 3 0 0 1 3 3v11a3 3 0 0 1-3 3h-2l-5 4.500V23a3 3 0 0 1-3-3V9a3 3 0 0 1 3-3z"
      />
    </svg>
  );
}
