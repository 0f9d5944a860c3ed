package io.muster.extender.http.limits;

import io.javalin.http.Context;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;

/**
 * Who sent a request. Immutable.
 *
 * @param address the IP address that the connection comes from
 * @param connection the same object for all requests of one connection, and for no others
 */
public record Requester(String address, Object connection) {

  static Requester of(Context context) {
    var request = context.req();
    return new Requester(
        request.getRemoteAddr(),
        ServletContextRequest.getServletContextRequest(request)
            .getConnectionMetaData()
            .getConnection());
  }
}
