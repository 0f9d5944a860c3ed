/** What a call to the server says, who makes it, and how it is answered. */
package io.muster.controller.kinds.di.server.call;
