/** What Muster's planner says of room, for those who decide the sizes of jobs. */
package io.muster.deploy.room;
