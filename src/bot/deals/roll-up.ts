/**
 * Why several announcements are one post: a digest was due, the channel's hourly limit was near, or they come late.
 */
export type RollUpReason = 'hourly' | 'daily' | 'limit' | 'late';
