/** The board: a page that shows devices, gangs and queues as they change. It only reads. */
package io.muster.deploy.board;
