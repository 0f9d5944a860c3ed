package io.muster.controller.kinds.di.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices clients that hang up while their call is held, which a server of HTTP/1.1 does not by
 * itself. A client that waits sends nothing, so whatever can be read of its connection is its end;
 * nothing is read. One thread for all. Safe for concurrent use.
 */
final class HangUps implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HangUps.class);

  /** Connections that were closed on this side are let go of after so long at the latest. */
  private static final long LOOK_MILLIS = 1_000;

  private final Selector selector;
  private final Queue<Watched> added = new ConcurrentLinkedQueue<>();
  private volatile boolean isClosed;

  private record Watched(SocketChannel channel, CompletableFuture<Void> gone) {}

  HangUps() {
    try {
      selector = Selector.open();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofPlatform().name("muster-hang-ups").daemon().start(this::run);
  }

  /** Ends once the client has hung up; to be cancelled or completed when its call is answered. */
  CompletableFuture<Void> watch(SocketChannel channel) {
    var gone = new CompletableFuture<Void>();
    added.add(new Watched(channel, gone));
    selector.wakeup();
    return gone;
  }

  private void run() {
    while (!isClosed) {
      try {
        selector.select(LOOK_MILLIS);
        for (var key : selector.selectedKeys()) {
          ((Watched) key.attachment()).gone().complete(null);
        }
        selector.selectedKeys().clear();
        // A connection that is watched again is forgotten first.
        selector.keys().stream().filter(HangUps::isOver).forEach(SelectionKey::cancel);
        selector.selectNow();
        for (var next = added.poll(); next != null; next = added.poll()) {
          register(next);
        }
      } catch (IOException | RuntimeException e) {
        LOG.warn("looking for clients that hang up failed; tried again", e);
      }
    }
    closeSelector();
  }

  private static boolean isOver(SelectionKey key) {
    return ((Watched) key.attachment()).gone().isDone();
  }

  private void register(Watched watched) {
    try {
      watched.channel().register(selector, SelectionKey.OP_READ, watched);
    } catch (ClosedChannelException | CancelledKeyException _) {
      watched.gone().complete(null);
    }
  }

  private void closeSelector() {
    try {
      selector.close();
    } catch (IOException e) {
      LOG.warn("the selector could not be closed", e);
    }
  }

  @Override
  public void close() {
    isClosed = true;
    selector.wakeup();
  }
}
