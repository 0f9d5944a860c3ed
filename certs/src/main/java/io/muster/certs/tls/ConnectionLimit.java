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
import org.eclipse.jetty.io.ssl.SslConnection;

/**
 * Bounds the connections of a port. Who opens one too many costs the address that has most of them
 * one: the oldest on which nothing was answered yet, or else the oldest. So whoever floods the port
 * loses connections to himself, and those of others go on. Safe for concurrent use.
 */
final class ConnectionLimit implements Connection.Listener {

  private final int most;

  /** The oldest first. */
  private final Set<SslConnection> open = new LinkedHashSet<>();

  /**
   * @param most connections that may be open, at least 1
   */
  ConnectionLimit(int most) {
    if (most < 1) {
      throw new IllegalArgumentException("at least 1 connection is needed, not " + most);
    }
    this.most = most;
  }

  @Override
  public void onOpened(Connection connection) {
    if (connection instanceof SslConnection tls) {
      opened(tls).ifPresent(victim -> victim.getEndPoint().close());
    }
  }

  @Override
  public void onClosed(Connection connection) {
    if (connection instanceof SslConnection tls) {
      synchronized (this) {
        open.remove(tls);
      }
    }
  }

  /** The connection to close for it, which does not count any more. */
  private synchronized Optional<SslConnection> opened(SslConnection connection) {
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

  private static boolean hasBeenAnswered(SslConnection connection) {
    return Optional.ofNullable(connection.getSslEndPoint().getConnection())
        .filter(inner -> inner.getMessagesOut() > 0)
        .isPresent();
  }

  private static String address(SslConnection connection) {
    SocketAddress remote = connection.getEndPoint().getRemoteSocketAddress();
    return remote instanceof InetSocketAddress internet
        ? String.valueOf(internet.getAddress())
        : String.valueOf(remote);
  }
}
