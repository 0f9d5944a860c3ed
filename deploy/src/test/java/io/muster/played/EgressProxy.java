package io.muster.played;

import io.muster.sandbox.SandboxException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Where the API server's calls into the cluster go, by HTTP CONNECT: so ports of Services below
 * 1024 need nobody who may listen there. Safe for concurrent use.
 */
final class EgressProxy implements AutoCloseable {

  private static final int LONGEST_REQUEST = 8192;

  private final Path path;
  private final ServerSocketChannel listener;
  private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
  private volatile Function<InetSocketAddress, Optional<InetSocketAddress>> route = Optional::of;

  EgressProxy() {
    try {
      // A short path: the name of such a socket has at most 107 characters.
      path = Files.createTempDirectory("egress").resolve("socket");
      listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      listener.bind(UnixDomainSocketAddress.of(path));
    } catch (IOException e) {
      throw new SandboxException("the proxy of the API server cannot listen", e);
    }
    Thread.ofVirtual().name("egress").start(this::accept);
  }

  /** The socket at which it listens. */
  Path path() {
    return path;
  }

  /** From now on calls to an address go where this says; empty: nobody is there. */
  void routeBy(Function<InetSocketAddress, Optional<InetSocketAddress>> known) {
    route = known;
  }

  /** Ends the connections that are open. */
  void cut() {
    for (var client : open) {
      try {
        client.close();
      } catch (IOException _) {
        // Ended by itself.
      }
    }
  }

  private void accept() {
    try {
      while (true) {
        var client = listener.accept();
        Thread.ofVirtual().name("egress-call").start(() -> serve(client));
      }
    } catch (IOException _) {
      // Closed.
    }
  }

  private void serve(SocketChannel client) {
    open.add(client);
    try (client) {
      var in = new BufferedInputStream(Channels.newInputStream(client));
      var asked = asked(in);
      var target = route.apply(asked);
      if (target.isEmpty()) {
        answer(client, "503 Service Unavailable");
        return;
      }
      try (var server = new Socket(target.get().getAddress(), target.get().getPort())) {
        answer(client, "200 Connection established");
        var back = Thread.ofVirtual().name("egress-answer").start(() -> pass(server, client));
        in.transferTo(server.getOutputStream());
        server.shutdownOutput();
        back.join();
      }
    } catch (IOException _) {
      // One side is gone, and so is the other.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      open.remove(client);
    }
  }

  private static void pass(Socket from, SocketChannel to) {
    try {
      from.getInputStream().transferTo(Channels.newOutputStream(to));
      to.shutdownOutput();
    } catch (IOException _) {
      // One side is gone, and so is the other.
    }
  }

  /** Of {@code CONNECT HOST:PORT HTTP/1.1} and the empty line that ends it. */
  private static InetSocketAddress asked(InputStream in) throws IOException {
    var text = new StringBuilder();
    while (text.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0 || text.length() > LONGEST_REQUEST) {
        throw new IOException("no request");
      }
      text.append((char) next);
    }
    var address = text.toString().split(" ", 3)[1];
    int colon = address.lastIndexOf(':');
    return new InetSocketAddress(
        address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
  }

  private static void answer(SocketChannel client, String status) throws IOException {
    Channels.newOutputStream(client)
        .write(("HTTP/1.1 " + status + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
  }

  @Override
  public void close() {
    try {
      listener.close();
      Files.deleteIfExists(path);
      Files.deleteIfExists(path.getParent());
    } catch (IOException _) {
      // Closed already.
    }
  }
}
