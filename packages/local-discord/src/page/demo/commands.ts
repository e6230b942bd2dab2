/** Follows something that comes now and then. With a lower limit it would hold back all else that waits in #deals. */
export const FOLLOW_VACUUMS = '/subscription add feed feed:Home filter:"vacuum under $60" most-per-hour:600';
