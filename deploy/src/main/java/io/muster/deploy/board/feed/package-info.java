/** What the board shows as it changes: where it looks, what it makes of that, and who sees it. */
package io.muster.deploy.board.feed;
