package io.muster.extender.core.cluster;

/**
 * A port of the node that a pod takes for itself. An address that is not stated is {@link #ANY}, a
 * protocol that is not stated is TCP. Immutable.
 *
 * @param port 1 to 65535
 */
public record HostPort(String protocol, String address, int port) {

  /** All addresses of the node. */
  public static final String ANY = "0.0.0.0";

  public HostPort {
    protocol = protocol.isEmpty() ? "TCP" : protocol;
    address = address.isEmpty() ? ANY : address;
  }

  /** Whether both cannot be on one node, by kube-scheduler's rule. */
  public boolean collidesWith(HostPort other) {
    return port == other.port
        && protocol.equals(other.protocol)
        && (address.equals(other.address) || address.equals(ANY) || other.address.equals(ANY));
  }
}
