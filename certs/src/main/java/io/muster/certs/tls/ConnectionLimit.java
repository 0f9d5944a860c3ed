package io.muster.certs.tls;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;

/**
 * Bounds the connections of a port. Who opens one too many costs the address that has most of them
 * one: the oldest on which nothing was answered yet, or else the oldest. So whoever floods the port
 * loses connections to himself, and those of others go on. Safe for concurrent use.
 */
public final class ConnectionLimit implements Connection.Listener {

  private final int most;

  /** The oldest first. */
  private final Set<Connection> open = new LinkedHashSet<>();

  /**
   * @param most connections that may be open, at least 1
   */
  public ConnectionLimit(int most) {
    if (most < 1) {
      throw new IllegalArgumentException("at least 1 connection is needed, not " + most);
    }
    this.most = most;
  }

  @Override
  public void onOpened(Connection connection) {
    if (isOfNetwork(connection)) {
      opened(connection).ifPresent(victim -> victim.getEndPoint().close());
    }
  }

  @Override
  public void onClosed(Connection connection) {
    if (isOfNetwork(connection)) {
      synchronized (this) {
        open.remove(connection);
      }
    }
  }

  /** Not what TLS carries. */
  private static boolean isOfNetwork(Connection connection) {
    return connection.getEndPoint() instanceof SocketChannelEndPoint;
  }

  /** The connection to close for it, which does not count any more. */
  private synchronized Optional<Connection> opened(Connection connection) {
    open.add(connection);
    if (open.size() <= most) {
      return Optional.empty();
    }
    Map<String, Integer> counts = new HashMap<>();
    open.forEach(one -> counts.merge(address(one), 1, Integer::sum));
    int greatest = counts.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    var victim =
        open.stream()
            .filter(one -> counts.get(address(one)) == greatest)
            // The sort is stable: among equals the oldest stays first.
            .min(Comparator.comparing(ConnectionLimit::hasBeenAnswered));
    victim.ifPresent(open::remove);
    return victim;
  }

  private static boolean hasBeenAnswered(Connection connection) {
    var speaking =
        connection instanceof SslConnection tls
            ? Optional.ofNullable(tls.getSslEndPoint().getConnection())
            : Optional.of(connection);
    return speaking.filter(one -> one.getMessagesOut() > 0).isPresent();
  }

  private static String address(Connection connection) {
    SocketAddress remote = connection.getEndPoint().getRemoteSocketAddress();
    return remote instanceof InetSocketAddress internet
        ? String.valueOf(internet.getAddress())
        : String.valueOf(remote);
  }
}
