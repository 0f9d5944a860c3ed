package io.muster.faults;

import io.muster.faults.KillPoint.Moment;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Stands on loopback between a client that speaks plain HTTP/1.1 and a server that speaks TLS, and
 * kills at one point of the traffic. Bytes pass unchanged; watches, upgraded connections and long
 * replies flow through. At the point:
 *
 * <ol>
 *   <li>no further request of any connection passes;
 *   <li>the kill runs, to its end, once;
 *   <li>all connections are dropped; new ones pass as before.
 * </ol>
 *
 * Safe for concurrent use.
 */
public final class KillingProxy implements AutoCloseable {

  private static final int BUFFER = 32 * 1024;

  private final TlsServer server;
  private final ServerSocket listener;
  private final InstantSource clock;
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

  /** Held while a request is judged and passed on, and during a kill. */
  private final ReentrantLock gate = new ReentrantLock();

  private Optional<Armed> armed = Optional.empty();
  private volatile Interference interference = _ -> Optional.empty();

  private KillingProxy(TlsServer server, ServerSocket listener, InstantSource clock) {
    this.server = server;
    this.listener = listener;
    this.clock = clock;
  }

  /** Listens on a port of its own choice. */
  public static KillingProxy before(TlsServer server, InstantSource clock) {
    try {
      var proxy =
          new KillingProxy(
              server, new ServerSocket(0, 128, InetAddress.getLoopbackAddress()), clock);
      Thread.ofVirtual().name("proxy").start(proxy::accept);
      return proxy;
    } catch (IOException e) {
      throw new IllegalStateException("no port can be listened on", e);
    }
  }

  /** {@code http://127.0.0.1:PORT}. */
  public String url() {
    return "http://127.0.0.1:" + listener.getLocalPort();
  }

  /**
   * Sets the one point at which {@code kill} is run; an earlier one is forgotten.
   *
   * @return ends when the kill has ended, with the time at which it began
   */
  public CompletableFuture<Instant> arm(KillPoint point, Runnable kill) {
    var next = new Armed(point, kill);
    gate.lock();
    try {
      armed = Optional.of(next);
    } finally {
      gate.unlock();
    }
    return next.killed;
  }

  /** Forgets the point. */
  public void disarm() {
    gate.lock();
    try {
      armed = Optional.empty();
    } finally {
      gate.unlock();
    }
  }

  /** Lets the interference judge every request from now on, in place of the one before. */
  public void interfere(Interference next) {
    interference = next;
  }

  /** Lets every request pass again. */
  public void passAll() {
    interference = _ -> Optional.empty();
  }

  @Override
  public void close() {
    closeQuietly(listener);
    connections.forEach(Connection::drop);
  }

  private void accept() {
    try {
      while (true) {
        var client = listener.accept();
        Thread.ofVirtual().name("proxy-requests").start(() -> serve(client));
      }
    } catch (IOException _) {
      // Closed.
    }
  }

  private void serve(Socket client) {
    try (client;
        var upstream = server.connect()) {
      client.setTcpNoDelay(true);
      upstream.setTcpNoDelay(true);
      var connection = new Connection(client, upstream);
      connections.add(connection);
      Thread.ofVirtual().name("proxy-replies").start(connection::passReplies);
      try {
        connection.passRequests();
      } finally {
        connection.drop();
        connections.remove(connection);
      }
    } catch (IOException _) {
      // One side is gone: the other one learns it from the end of its connection.
    }
  }

  /** What happens to requests on their way, besides kills. Called by many threads at once. */
  @FunctionalInterface
  public interface Interference {

    /** The reply in the server's stead, empty to pass the request on; may wait, to delay it. */
    Optional<HttpCall.Reply> reply(HttpCall call);
  }

  private static void closeQuietly(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception _) {
      // Gone already.
    }
  }

  /** A point that waits for its request. Guarded by the gate. */
  private final class Armed {

    private final KillPoint point;
    private final Runnable kill;
    private final CompletableFuture<Instant> killed = new CompletableFuture<>();
    private int seen;

    Armed(KillPoint point, Runnable kill) {
      this.point = point;
      this.kill = kill;
    }

    boolean isNext() {
      seen++;
      return seen == point.nth();
    }

    void fire() {
      armed = Optional.empty();
      var begun = clock.instant();
      try {
        kill.run();
        killed.complete(begun);
      } catch (RuntimeException e) {
        killed.completeExceptionally(e);
      }
      connections.forEach(Connection::drop);
    }
  }

  private final class Connection {

    private final Socket client;
    private final Socket upstream;
    private volatile Optional<Armed> replyAwaited = Optional.empty();
    private volatile boolean dropped;

    Connection(Socket client, Socket upstream) {
      this.client = client;
      this.upstream = upstream;
    }

    void drop() {
      dropped = true;
      closeQuietly(client);
      closeQuietly(upstream);
    }

    void passRequests() throws IOException {
      var in = new BufferedInputStream(client.getInputStream(), BUFFER);
      var out = upstream.getOutputStream();
      while (true) {
        var request = HttpMessage.request(in);
        if (request.isEmpty()) {
          return;
        }
        var reply = interference.reply(request.get().asCall());
        if (reply.isPresent()) {
          // Nothing else is being written to the client: it sends one request at a time.
          client.getOutputStream().write(HttpMessage.bytes(reply.get()));
          continue;
        }
        if (!pass(request.get(), out)) {
          return;
        }
        if (request.get().changesProtocol()) {
          in.transferTo(out);
          return;
        }
      }
    }

    /** Whether the connection goes on. */
    private boolean pass(HttpMessage request, OutputStream out) throws IOException {
      gate.lock();
      try {
        if (dropped) {
          return false;
        }
        var due = armed.filter(some -> some.point.calls().test(request.asCall()));
        var moment = due.map(some -> some.point.moment());
        boolean firesNow =
            moment.filter(when -> when != Moment.AFTER_REPLY).isPresent() && due.get().isNext();
        if (firesNow && moment.get() == Moment.BEFORE_FORWARD) {
          due.get().fire();
          return false;
        }
        if (moment.filter(when -> when == Moment.AFTER_REPLY).isPresent()) {
          replyAwaited = due;
        }
        out.write(request.bytes());
        out.flush();
        if (firesNow) {
          due.get().fire();
          return false;
        }
        return true;
      } finally {
        gate.unlock();
      }
    }

    void passReplies() {
      try {
        var in = new BufferedInputStream(upstream.getInputStream(), BUFFER);
        var out = client.getOutputStream();
        var buffer = new byte[BUFFER];
        while (awaitByte(in)) {
          var awaited = replyAwaited;
          if (awaited.isPresent()) {
            replyAwaited = Optional.empty();
            if (!passAwaited(awaited.get(), in, out)) {
              return;
            }
          } else {
            out.write(buffer, 0, in.read(buffer));
            out.flush();
          }
        }
      } catch (IOException _) {
        // One side is gone, and so is the connection.
      } finally {
        drop();
      }
    }

    private static boolean awaitByte(InputStream in) throws IOException {
      in.mark(1);
      int first = in.read();
      in.reset();
      return first >= 0;
    }

    private boolean passAwaited(Armed awaited, InputStream in, OutputStream out)
        throws IOException {
      var reply = HttpMessage.reply(in);
      if (reply.isEmpty()) {
        return false;
      }
      gate.lock();
      try {
        if (armed.filter(some -> some == awaited).isPresent()
            && awaited.point.replies().test(reply.get().asReply())
            && awaited.isNext()) {
          awaited.fire();
          return false;
        }
      } finally {
        gate.unlock();
      }
      out.write(reply.get().bytes());
      out.flush();
      return true;
    }
  }
}
