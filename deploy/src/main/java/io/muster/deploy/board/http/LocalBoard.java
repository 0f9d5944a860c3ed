package io.muster.deploy.board.http;

import io.muster.deploy.board.feed.BoardFeed;
import io.muster.deploy.board.feed.BoardSource;
import io.muster.deploy.board.whatif.WhatIf;
import java.time.InstantSource;
import java.util.Optional;

/**
 * The board on the machine of whoever started it, on the loopback address alone. Safe for
 * concurrent use.
 */
public final class LocalBoard implements AutoCloseable {

  private final OpensOnce entrance = new OpensOnce();
  private final BoardServer server;

  /**
   * Serves at once.
   *
   * @param port 0: a free one
   */
  public LocalBoard(
      BoardFeed feed, BoardSource source, WhatIf whatIf, InstantSource clock, int port) {
    this.server =
        new BoardServer(
            feed,
            source,
            entrance,
            whatIf,
            Optional.empty(),
            clock,
            java -> {
              java.jetty.host = OpensOnce.LOOPBACK;
              java.jetty.port = port;
            });
  }

  /** Where to look, with a key that opens once. */
  public String address() {
    return "http://%s:%d/%s".formatted(OpensOnce.LOOPBACK, server.port(), entrance.query());
  }

  @Override
  public void close() {
    server.close();
  }
}
