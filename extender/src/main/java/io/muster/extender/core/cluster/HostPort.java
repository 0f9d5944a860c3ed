package io.muster.extender.core.cluster;

/**
 * What one pod of a node alone may have: a port of the node, or being the only one of its kind
 * there. An address that is not stated is {@link #ANY}, a protocol that is not stated is TCP.
 * Immutable.
 *
 * @param port 1 to 65535; 0 where it is no port
 */
public record HostPort(String protocol, String address, int port) {

  /** All addresses of the node. */
  public static final String ANY = "0.0.0.0";

  /** In the place of a protocol. */
  private static final String ANTI_AFFINITY = "anti-affinity";

  public HostPort {
    protocol = protocol.isEmpty() ? "TCP" : protocol;
    address = address.isEmpty() ? ANY : address;
  }

  /** That no other pod which says the same is on the node. */
  public static HostPort onlyOne(String namespace, String selector) {
    return new HostPort(ANTI_AFFINITY, namespace + "/" + selector, 0);
  }

  /** Whether it is a port. */
  public boolean isPort() {
    return port > 0;
  }

  /** Whether both cannot be on one node, by kube-scheduler's rule. */
  public boolean collidesWith(HostPort other) {
    return port == other.port
        && protocol.equals(other.protocol)
        && (address.equals(other.address) || address.equals(ANY) || other.address.equals(ANY));
  }
}
