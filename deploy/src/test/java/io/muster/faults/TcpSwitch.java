package io.muster.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A port of a Service, as kube-proxy plays it: an address on loopback that leads to one of several
 * others in turn, or to none. When it is turned, the connections to those it does not lead to any
 * more end. Bytes pass unread. Safe for concurrent use.
 */
public final class TcpSwitch implements AutoCloseable {

  private static final int PIECE = 16 * 1024;

  private final ServerSocket listener;
  private final Set<Pair> pairs = ConcurrentHashMap.newKeySet();
  private final AtomicInteger mostOpen = new AtomicInteger();
  private final AtomicInteger turns = new AtomicInteger();
  private volatile List<InetSocketAddress> targets = List.of();

  private TcpSwitch(ServerSocket listener) {
    this.listener = listener;
  }

  /** Listens on a port of its own choice and leads nowhere yet: connections end at once. */
  public static TcpSwitch open() {
    return open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  /** Listens there and leads nowhere yet. */
  public static TcpSwitch open(InetSocketAddress address) {
    try {
      var opened = new TcpSwitch(new ServerSocket(address.getPort(), 128, address.getAddress()));
      Thread.ofVirtual().name("switch").start(opened::accept);
      return opened;
    } catch (IOException e) {
      throw new IllegalStateException(address + " cannot be listened on", e);
    }
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** Leads new connections to that port of loopback, or nowhere. */
  public void turnTo(OptionalInt port) {
    turnTo(
        port.stream()
            .mapToObj(open -> new InetSocketAddress(InetAddress.getLoopbackAddress(), open))
            .toList());
  }

  /** Leads new connections to these, in turn. */
  public synchronized void turnTo(List<InetSocketAddress> addresses) {
    targets = List.copyOf(addresses);
    pairs.stream().filter(pair -> !targets.contains(pair.target)).forEach(Pair::close);
  }

  /** Ends the connections that are open; new ones lead where they did. */
  public synchronized void cut() {
    pairs.forEach(Pair::close);
  }

  /** Nothing passes the connections that are open any more, and nobody ends them. */
  public synchronized void silence() {
    pairs.forEach(pair -> pair.isSilent.set(true));
  }

  /** Where it leads now: the first port if there are several. */
  public OptionalInt target() {
    return targets.stream().mapToInt(InetSocketAddress::getPort).findFirst();
  }

  /** The most connections that were open at once since it was asked last. */
  public int mostOpen() {
    return mostOpen.getAndSet(pairs.size());
  }

  @Override
  public void close() {
    closeQuietly(listener);
    turnTo(List.of());
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
    var known = targets;
    if (known.isEmpty()) {
      return null;
    }
    var target = known.get(Math.floorMod(turns.getAndIncrement(), known.size()));
    var server = new Socket(target.getAddress(), target.getPort());
    var pair = new Pair(client, server, target, new AtomicBoolean());
    pairs.add(pair);
    mostOpen.accumulateAndGet(pairs.size(), Math::max);
    if (!targets.contains(target)) {
      pair.close();
    }
    return pair;
  }

  private static void pass(Socket from, Socket to, Pair pair) {
    try (pair) {
      from.setTcpNoDelay(true);
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      var piece = new byte[PIECE];
      for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
        if (!pair.isSilent.get()) {
          out.write(piece, 0, read);
        }
      }
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

  private record Pair(
      Socket client, Socket server, InetSocketAddress target, AtomicBoolean isSilent)
      implements AutoCloseable {

    @Override
    public void close() {
      closeQuietly(client);
      closeQuietly(server);
    }
  }
}
