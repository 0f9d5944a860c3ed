package io.muster.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A Service in small: one port on loopback that leads to one of several others, or to none. When it
 * is turned, the connections to the port before end. Bytes pass unread. Safe for concurrent use.
 */
public final class TcpSwitch implements AutoCloseable {

  private final ServerSocket listener;
  private final Set<Pair> pairs = ConcurrentHashMap.newKeySet();
  private final AtomicInteger mostOpen = new AtomicInteger();
  private OptionalInt target = OptionalInt.empty();

  private TcpSwitch(ServerSocket listener) {
    this.listener = listener;
  }

  /** Listens on a port of its own choice and leads nowhere yet: connections end at once. */
  public static TcpSwitch open() {
    try {
      var opened = new TcpSwitch(new ServerSocket(0, 128, InetAddress.getLoopbackAddress()));
      Thread.ofVirtual().name("switch").start(opened::accept);
      return opened;
    } catch (IOException e) {
      throw new IllegalStateException("no port can be listened on", e);
    }
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** Leads new connections to that port of loopback, or nowhere. */
  public synchronized void turnTo(OptionalInt port) {
    if (!target.equals(port)) {
      target = port;
      pairs.forEach(Pair::close);
    }
  }

  /** Ends the connections that are open; new ones lead where they did. */
  public synchronized void cut() {
    pairs.forEach(Pair::close);
  }

  /** Where it leads now. */
  public synchronized OptionalInt target() {
    return target;
  }

  /** The most connections that were open at once since it was asked last. */
  public int mostOpen() {
    return mostOpen.getAndSet(pairs.size());
  }

  @Override
  public void close() {
    closeQuietly(listener);
    turnTo(OptionalInt.empty());
  }

  private void accept() {
    try {
      while (true) {
        var client = listener.accept();
        Thread.ofVirtual().name("switch-in").start(() -> serve(client));
      }
    } catch (IOException _) {
      // Closed.
    }
  }

  private void serve(Socket client) {
    try (client) {
      var pair = connected(client);
      if (pair == null) {
        return;
      }
      try (pair) {
        Thread.ofVirtual().name("switch-out").start(() -> pass(pair.server, pair.client, pair));
        pass(pair.client, pair.server, pair);
      } finally {
        pairs.remove(pair);
      }
    } catch (IOException _) {
      // One side is gone, and so is the other.
    }
  }

  private Pair connected(Socket client) throws IOException {
    OptionalInt port = target();
    if (port.isEmpty()) {
      return null;
    }
    var pair = new Pair(client, new Socket(InetAddress.getLoopbackAddress(), port.getAsInt()));
    pairs.add(pair);
    mostOpen.accumulateAndGet(pairs.size(), Math::max);
    if (!target().equals(port)) {
      pair.close();
    }
    return pair;
  }

  private static void pass(Socket from, Socket to, Pair pair) {
    try (pair) {
      from.setTcpNoDelay(true);
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      in.transferTo(out);
    } catch (IOException _) {
      // One side is gone, and so is the other.
    }
  }

  private static void closeQuietly(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception _) {
      // Gone already.
    }
  }

  private record Pair(Socket client, Socket server) implements AutoCloseable {

    @Override
    public void close() {
      closeQuietly(client);
      closeQuietly(server);
    }
  }
}
