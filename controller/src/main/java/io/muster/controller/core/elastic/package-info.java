/** Which jobs grow into free room, and which give room back. */
package io.muster.controller.core.elastic;
